const SLOTS = /[{<]\w+[}>]/gu;

interface Form {
  readonly names: readonly string[];
  readonly pattern: RegExp;
}

const forms = new Map<string, Form>();

/** A player compares each line that it reads with each of its cues: each is made a pattern once. */
function formOf(template: string): Form {
  const known = forms.get(template);
  if (known !== undefined) return known;
  const literals = template.split(SLOTS).map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&'));
  const names = [...template.matchAll(SLOTS)].map(([slot]) => slot.slice(1, -1));
  const form = { names, pattern: new RegExp(`^${literals.join('(.+?)')}$`, 'u') };
  forms.set(template, form);
  return form;
}

/** What stands in the template's slots by their names, where the text fits it; none for a template without slots. */
export function fit(template: string, text: string): ReadonlyMap<string, string> | undefined {
  const { names, pattern } = formOf(template);
  const found = pattern.exec(text);
  return found === null ? undefined : new Map(names.map((name, at) => [name, found[at + 1] as string]));
}

/** The template with these in its slots; a slot that they don't name stays. */
export const fill = (template: string, values: ReadonlyMap<string, string>): string =>
  template.replace(SLOTS, (slot) => values.get(slot.slice(1, -1)) ?? slot);
