const SLOTS = /[{<]\w+[}>]/gu;

/** What stands in the template's slots by their names, where the text fits it; none for a template without slots. */
export function fit(template: string, text: string): ReadonlyMap<string, string> | undefined {
  const names = [...template.matchAll(SLOTS)].map(([slot]) => slot.slice(1, -1));
  const literals = template.split(SLOTS).map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&'));
  const [, ...values] = new RegExp(`^${literals.join('(.+?)')}$`, 'u').exec(text) ?? [text];
  if (values.length !== names.length || (names.length === 0 && template !== text)) return undefined;
  return new Map(names.map((name, at) => [name, values[at] as string]));
}

/** The template with these in its slots; a slot that they don't name stays. */
export const fill = (template: string, values: ReadonlyMap<string, string>): string =>
  template.replace(SLOTS, (slot) => values.get(slot.slice(1, -1)) ?? slot);
