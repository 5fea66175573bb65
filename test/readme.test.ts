import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { loadConfig } from '../src/config.js';
import type { EngraphError } from '../src/domain/failure.js';

const file = async (path: string): Promise<string> => await readFile(new URL(`../${path}`, import.meta.url), 'utf8');

/** The lines of code blocks in one language, without the blank ones. */
function codeIn(markdown: string, language: string): string[] {
  const blocks = [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  return blocks.flatMap(([, code = '']) => code.split('\n')).filter((line) => line.trim() !== '');
}

describe('the README', () => {
  let readme: string;

  before(async () => {
    readme = await file('README.md');
  });

  for (const page of ['README.md', 'docs/agent.md', 'CHANGELOG.md']) {
    it(`leads nowhere that does not exist, in ${page}`, async () => {
      for (const [, link = ''] of (await file(page)).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        await access(fileURLToPath(new URL(link, new URL(`../${page}`, import.meta.url))));
      }
    });
  }

  it('has every setting that there is, and none that there is not', () => {
    const refusal = (name: string): EngraphError | undefined => {
      try {
        loadConfig({ [name]: 'x' });
      } catch (error) {
        return error as EngraphError;
      }
      return undefined;
    };
    const known = new Set(refusal('ENGRAPH_NONESUCH')?.message.match(/ENGRAPH_[A-Z_]+/g));
    known.delete('ENGRAPH_NONESUCH');
    const rows = new Set(readme.match(/^\| `ENGRAPH_[A-Z_]+/gm)?.map((row) => row.slice(3)));
    assert.deepEqual([...rows].sort(), [...known].sort());
  });

  it('names only scripts that package.json has', async () => {
    const { scripts } = JSON.parse(await file('package.json')) as { scripts: Record<string, string> };
    for (const [, name = ''] of readme.matchAll(/npm run ([\w:-]+\w)/g)) assert.ok(name in scripts, `npm run ${name}`);
  });

  it('shows code that is in the examples, line by line', async () => {
    const typescript = `${await file('examples/typescript/agent.ts')}\n${await file('examples/typescript/service.ts')}\n${await file('test/contract/rules.test.ts')}`;
    const python = await file('examples/python/agent.py');
    const missing = (lines: readonly string[], whole: string): string[] => {
      const there = new Set(whole.split('\n').map((line) => line.trim()));
      return lines.filter((line) => !there.has(line.trim()));
    };
    assert.deepEqual(missing(codeIn(readme, 'ts'), typescript), []);
    assert.deepEqual(missing(codeIn(readme, 'python'), python), []);
  });
});
