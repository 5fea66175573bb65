import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EXIT, exitCodeOf } from '../../src/cli/exit-codes.js';
import { EngraphError, FAILURE_KINDS } from '../../src/domain/failure.js';
import { engraph } from '../support/command-line.js';

const COMMANDS = [
  'dev',
  'learn',
  'run',
  'rounds',
  'receipt',
  'judge',
  'cancel',
  'remember',
  'chat',
  'conversation',
  'sleep',
  'skills',
  'search',
  'show',
  'export',
  'spaces',
  'worker',
  'setup',
  'doctor',
  'copy',
  'key',
  'codec-server',
  'health',
];

describe('the command line', () => {
  let home: string;
  beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'engraph-cli-'))));
  afterEach(async () => await rm(home, { recursive: true, force: true }));

  it('explains itself and each of its commands', async () => {
    const { code, out } = await engraph(['--help']);
    assert.equal(code, EXIT.ok);
    for (const command of COMMANDS) {
      assert.match(out, new RegExp(`^ {2}${command}\\b`, 'mu'));
      const help = await engraph([command, '--help']);
      assert.equal(help.code, EXIT.ok);
      assert.match(help.out, new RegExp(`^Usage: engraph ${command}\\b[^]*--llm[^]*--home[^]*--json`, 'u'));
    }
  });

  it('shows its help as an error when it is not told what to do', async () => {
    const { code, out, err } = await engraph([]);
    assert.deepEqual({ code, out }, { code: EXIT.usage, out: '' });
    assert.match(err, /^Usage: engraph/u);
  });

  const wrong: readonly [string, readonly string[], string, RegExp][] = [
    ['a command that does not exist', ['lern', '.'], 'validation', /lern/u],
    ['an unknown flag', ['spaces', '--spaec', 'a'], 'validation', /--spaec/u],
    ['an unknown mode', ['run', 'x', '--mode', 'deep'], 'validation', /deep.*fast, hybrid, verified/u],
    ['an unknown judge', ['run', 'x', '--judge', 'dog'], 'validation', /dog/u],
    ['more repairs than there may be', ['run', 'x', '--rounds', '99'], 'validation', /maxRefinementRounds is 99/u],
    ['repairs that are no number', ['run', 'x', '--rounds', '-1'], 'validation', /whole number/u],
    ['an empty instruction', ['run', '  '], 'validation', /instruction is empty/u],
    ['an agent without an activity', ['run', 'x', '--agent', 'queue/'], 'validation', /QUEUE\/ACTIVITY/u],
    ['a space that can be none', ['run', 'x', '--space', 'a\tb'], 'bad_space', /control characters/u],
    ['an empty space', ['learn', '.', '--space', ''], 'bad_space', /1 to 256/u],
    ['an unknown kind of node', ['search', 'x', '--kinds', 'semantic,magic'], 'validation', /semantic, episodic, procedural/u],
    ['an unknown kind of work', ['worker', '--queues', 'gpu'], 'validation', /workflow, store, text, model/u],
    ['no word on success', ['judge', 't'], 'validation', /--success or --failure/u],
    ['both words on success', ['judge', 't', '--success', '--failure'], 'validation', /--failure/u],
    ['an endpoint that is not named', ['spaces', '--llm', 'openai'], 'config', /OPENAI_BASE_URL/u],
  ];
  for (const [what, args, kind, message] of wrong) {
    it(`refuses ${what} before it starts or makes anything`, async () => {
      const words = await engraph([...args, '--home', join(home, 'none')]);
      assert.deepEqual({ code: words.code, out: words.out }, { code: EXIT.usage, out: '' });
      assert.match(words.err, new RegExp(`^error \\(${kind}\\): `, 'u'));
      assert.match(words.err, message);

      const data = await engraph([...args, '--home', join(home, 'none'), '--json']);
      assert.equal(data.code, EXIT.usage);
      const { error } = JSON.parse(data.out) as { error: { kind: string; message: string; retryable: boolean } };
      assert.deepEqual({ kind: error.kind, retryable: error.retryable, err: data.err }, { kind, retryable: false, err: '' });
      assert.match(error.message, message);
      assert.ok(!existsSync(join(home, 'none')), 'nothing was made');
    });
  }

  it('refuses a setting that does not exist', async () => {
    const { code, err } = await engraph(['spaces'], { ENGRAPH_HOEM: home });
    assert.equal(code, EXIT.usage);
    assert.match(err, /^error \(config\): ENGRAPH_HOEM is not a setting/u);
  });

  for (const args of [
    ['run', 'x'],
    ['rounds', 't'],
    ['receipt', 't'],
    ['judge', 't', '--success'],
    ['cancel', 't'],
    ['worker'],
    ['setup'],
  ]) {
    it(`starts no server of its own accord: ${args[0]} says how to start one`, async () => {
      const { code, err } = await engraph([...args, '--home', join(home, 'none')]);
      assert.equal(code, EXIT.unavailable);
      assert.match(err, /^error \(temporal_unavailable\): .*`engraph dev`/u);
      assert.ok(!existsSync(join(home, 'none')), 'nothing was made');
    });
  }

  it('says that the server it was told of does not answer', async () => {
    const { code, err } = await engraph(['rounds', 't', '--home', home], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    assert.equal(code, EXIT.unavailable);
    assert.match(err, /^error \(temporal_unavailable\): .*127\.0\.0\.1:1/u);
  });

  it('refuses to read a store that is not there, rather than tell that it is empty', async () => {
    for (const args of [['spaces'], ['show', 'a'], ['export'], ['search', 'x']]) {
      const { code, err } = await engraph([...args, '--home', home]);
      assert.equal(code, EXIT.failed);
      assert.match(err, /^error \(not_found\): there is no store at .*memory\.db/u);
    }
  });

  it('names a store that is none', async () => {
    const file = join(home, 'notes.txt');
    await writeFile(file, 'these are notes and no database, at some length. '.repeat(100));
    const { code, err } = await engraph(['spaces', '--store', file]);
    assert.equal(code, EXIT.usage);
    assert.match(err, /^error \(config\): .*notes\.txt is not an Engraph store/u);
  });

  it('shows where a failure comes from only when asked', async () => {
    const args = ['spaces', '--home', home];
    assert.doesNotMatch((await engraph(args)).err, /\n {4}at /u);
    assert.match((await engraph([...args, '--debug'])).err, /\n {4}at /u);
  });
});

describe('exit codes', () => {
  it('tell every kind of failure: it failed, it was asked wrongly, or what it needs is not there', () => {
    for (const kind of FAILURE_KINDS) {
      const code = exitCodeOf(new EngraphError(kind, 'x'));
      assert.ok([EXIT.failed, EXIT.usage, EXIT.unavailable].includes(code as 1), kind);
      if (kind.endsWith('_unavailable')) assert.equal(code, EXIT.unavailable, kind);
    }
    assert.equal(exitCodeOf(new Error('of no kind')), EXIT.failed);
  });
});
