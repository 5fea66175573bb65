/** Every number of a value, however deep. */
export function numbersIn(value: unknown): unknown[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
