import { InvalidArgumentError, Option } from 'commander';

/** The space a command works in. */
export const spaceOption = (): Option => new Option('-s, --space <name>', 'the memory to work in').default('default');

/** A whole number; its range is the product's to check. */
export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** Names joined by commas, each one of the allowed. */
export function listOf<T extends string>(allowed: readonly T[]): (value: string) => T[] {
  return (value) =>
    value.split(',').map((part) => {
      const found = allowed.find((one) => one === part.trim());
      if (found === undefined) throw new InvalidArgumentError(`Each must be one of ${allowed.join(', ')}.`);
      return found;
    });
}

/** An activity of the caller's own, `QUEUE/ACTIVITY`; the queue may have slashes, the activity has none. */
export function agentRef(value: string): { taskQueue: string; activity: string } {
  const slash = value.lastIndexOf('/');
  if (slash < 1 || slash === value.length - 1) throw new InvalidArgumentError('It must be QUEUE/ACTIVITY.');
  return { taskQueue: value.slice(0, slash), activity: value.slice(slash + 1) };
}
