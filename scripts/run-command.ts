import { spawn } from 'node:child_process';

/**
 * Runs a command with its output on this screen and resolves with its exit code; 124 when it was still running after
 * `timeoutMs` (none by default). It gets a process group of its own, which is stopped whole, since test runners leave
 * children behind when they are killed alone; so is it when this process is interrupted.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; timeoutMs?: number },
): Promise<number> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const stop = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
  };
  const interrupted = (): void => {
    stop('SIGKILL');
    setImmediate(() => process.exit(130)); // after the other commands that run now have been stopped too
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  let late = false;
  const timer =
    options.timeoutMs === undefined ? undefined : setTimeout(() => ((late = true), stop('SIGKILL')), options.timeoutMs);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(late ? 124 : (code ?? 1)));
    });
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}
