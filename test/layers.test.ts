import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { ESLint } from 'eslint';

const IMPORTS = '@typescript-eslint/no-restricted-imports';

/** What each place may and may not say. The files exist; the linter is given the snippet in place of their text. */
const SNIPPETS: readonly { file: string; text: string; refused: string | undefined }[] = [
  { file: 'src/domain/id.ts', text: "import '@noble/hashes/sha2.js';", refused: undefined },
  { file: 'src/domain/id.ts', text: "import 'node:fs';", refused: IMPORTS },
  { file: 'src/domain/id.ts', text: "import '@temporalio/common';", refused: IMPORTS },
  {
    file: 'src/domain/id.ts',
    text: "import type { Point } from '../ports/vector-store.js';\nexport type P = Point;",
    refused: IMPORTS,
  },
  { file: 'src/domain/id.ts', text: 'export const a = Math.random();', refused: 'no-restricted-properties' },
  { file: 'src/domain/id.ts', text: 'export const a = Date.now();', refused: 'no-restricted-properties' },
  { file: 'src/domain/id.ts', text: 'export const a = new Date();', refused: 'no-restricted-syntax' },
  { file: 'src/domain/id.ts', text: 'export const a = new Date(0);', refused: undefined },
  { file: 'src/ports/embedder.ts', text: "import 'openai';", refused: IMPORTS },
  { file: 'src/prompts/inputs.ts', text: "import '../domain/id.js';", refused: undefined },
  { file: 'src/prompts/inputs.ts', text: "import '../adapters/in-memory.js';", refused: IMPORTS },
  { file: 'src/store/nodes.ts', text: "import '../adapters/in-memory.js';", refused: IMPORTS },
  { file: 'src/adapters/in-memory.ts', text: "import '../ports/vector-store.js';", refused: undefined },
  { file: 'src/adapters/in-memory.ts', text: "import '../store/nodes.js';", refused: IMPORTS },
  { file: 'src/adapters/in-memory.ts', text: 'export const key = process.env.KEY;', refused: 'no-restricted-properties' },
  { file: 'activities/contract.ts', text: "import '../src/store/nodes.js';", refused: IMPORTS },
  { file: 'workflows/messages.ts', text: "import '../src/domain/id.js';", refused: undefined },
  { file: 'workflows/messages.ts', text: "import 'node:path';", refused: IMPORTS },
  {
    file: 'workflows/messages.ts',
    text: "import type { A } from '../activities/contract.js';\nexport type B = A;",
    refused: undefined,
  },
  { file: 'workflows/messages.ts', text: "import '../activities/contract.js';", refused: IMPORTS },
  {
    file: 'workflows/messages.ts',
    text: "import type { A } from '../activities/index.js';\nexport type B = A;",
    refused: IMPORTS,
  },
  { file: 'src/client.ts', text: "import '../workflows/messages.js';", refused: undefined },
  { file: 'src/client.ts', text: "import '../workflows/task.js';", refused: IMPORTS },
  { file: 'src/client.ts', text: 'async function f() {}\nf();', refused: '@typescript-eslint/no-floating-promises' },
  { file: 'src/client.ts', text: 'export function f() {}', refused: 'engraph/documented-exports' },
  { file: 'src/domain/failure.ts', text: "import './space.js';", refused: 'import-x/no-cycle' },
];

describe('the linter', function () {
  this.timeout(120_000);
  const eslint = new ESLint({ cwd: fileURLToPath(new URL('..', import.meta.url)) });

  for (const { file, text, refused } of SNIPPETS) {
    it(`${refused ? `refuses by ${refused}` : 'lets pass'}, in ${file}: ${text.split('\n').join(' ')}`, async () => {
      const [result] = await eslint.lintText(text, { filePath: file });
      const rules = (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
      if (refused) assert.ok(rules.includes(refused), `not refused: ${JSON.stringify(rules)}`);
      else assert.deepEqual(rules, []);
    });
  }
});
