import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

import { documentedExports } from './scripts/lint-documented-exports.js';

const own = String.raw`\./[\w-]+\.js$`;
const domain = String.raw`(\.\./)+(src/)?domain/[\w-]+\.js$`;
const ports = String.raw`(\.\./)+(src/)?ports/[\w-]+\.js$`;
const from = (folders) => String.raw`\.\./src/(${folders})/[\w-]+\.js$`;
const contracts = String.raw`\.\./activities/contract(-[\w-]+)?\.js$`;

/** An allow-list: whatever the folder's files import has to match one of these. */
const mayImport = (folder, allowed, ...more) => ({
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      patterns: [
        { regex: `^(?!${allowed.join('|')})`, message: `not among what ${folder} may import (eslint.config.js)` },
        ...more,
      ],
    },
  ],
});

/** Who may import whom; what is on no list is refused. The pages of docs/decisions say why the exceptions are there. */
const LAYERS = {
  'src/domain': [own, String.raw`@noble/hashes/[\w-]+\.js$`, 'wink-porter2-stemmer$'],
  'src/ports': [own, domain],
  'src/prompts': [own, domain, ports, 'zod$', 'jsonrepair$'],
  'src/store': [own, domain, ports, String.raw`@noble/hashes/[\w-]+\.js$`],
  'src/adapters': [own, domain, ports, String.raw`\.\./prompts/inputs(-[\w-]+)?\.js$`, '[^.]'],
  activities: [own, from('domain|prompts|ports|store'), '@temporalio/(activity|common)$', 'node:'],
};

const CLOCK = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'the domain has no clock: take the time as an argument',
  },
  { selector: "CallExpression[callee.name='Date']", message: 'the domain has no clock: take the time as an argument' },
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.engraph/', 'examples/python/', '**/*.json'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } })],
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'import-x/no-cycle': 'error',
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-empty': 'error',
      'no-control-regex': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }] } },
  ...Object.entries(LAYERS).map(([folder, allowed]) => ({ files: [`${folder}/**/*.ts`], rules: mayImport(folder, allowed) })),
  {
    files: ['activities/contract*.ts'],
    rules: mayImport('an activity contract', [String.raw`\./contract(-[\w-]+)?\.js$`, from('domain|ports')]),
  },
  {
    files: ['workflows/**/*.ts'],
    rules: mayImport('workflows', [own, from('domain'), contracts, '@temporalio/(workflow|common)$'], {
      regex: contracts,
      allowTypeImports: true,
      message: 'a value import of the Node side breaks the sandbox: import type',
    }),
  },
  {
    files: ['src/*.ts', 'src/setup/**/*.ts', 'src/cli/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: String.raw`^(\.\./)+workflows/(?!messages(-[\w-]+)?\.js$)`,
              allowTypeImports: true,
              message: 'outside the sandbox only workflows/messages.js is imported; workflows are named by path',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...CLOCK],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'the domain has no randomness: ids come from idOf' },
        { object: 'Date', property: 'now', message: 'the domain has no clock: take the time as an argument' },
      ],
      'no-restricted-globals': ['error', 'performance', 'crypto', 'process', 'setTimeout', 'setInterval', 'fetch'],
    },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts', 'workflows/**/*.ts'],
    ignores: ['src/config.ts', 'src/domain/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'src/config.ts is the only reader of the environment' },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts', 'workflows/**/*.ts'],
    plugins: { engraph: { rules: { 'documented-exports': documentedExports } } },
    rules: { 'engraph/documented-exports': 'error' },
  },
);
