import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EXIT } from '../../src/cli/exit-codes.js';
import type { TaskResult } from '../../src/domain/refinement.js';
import type { RoundsTold } from '../../src/task-handle.js';
import { engraph, type Said } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { NOTES } from '../support/learned-notes.js';
import { chatReply, withScriptedOpenAi } from '../support/scripted-openai.js';
import { startEngraph, typeTo, type EngraphProcess } from '../support/worker-process.js';

describe('engraph from a terminal, beside a dev server', function () {
  this.timeout(240_000);
  let home: string;
  let dev: EngraphProcess;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'engraph-terminal-'));
    dev = await startEngraph('dev', { ENGRAPH_HOME: home });
  });

  after(async () => {
    await dev.stop();
    await rm(home, { recursive: true, force: true });
  });

  const said = async (...args: string[]): Promise<Said> => await engraph([...args, '--home', home]);
  const told = async <T>(...args: string[]): Promise<T> => {
    const { out, err } = await said(...args, '--json');
    const last = out.trim().split('\n').at(-1);
    assert.ok(last, err);
    return JSON.parse(last) as T;
  };

  it('says where it listens and that no LLM serves', () => {
    const { address, ui, model } = dev.ready;
    assert.match(String(address), /^127\.0\.0\.1:\d+$/u);
    assert.match(String(ui), /^http:\/\/127\.0\.0\.1:\d+$/u);
    assert.equal(model, 'rules (no LLM)');
  });

  it('learns files, names the one that it can’t read and goes on, and knows them again', async () => {
    const [notes, empty] = [join(home, 'notes.md'), join(home, 'empty.md')];
    await writeFile(notes, NOTES);
    await writeFile(empty, ' ');
    const first = await said('learn', notes, empty, join(home, 'absent.md'));
    assert.equal(first.code, EXIT.failed);
    assert.match(first.out, /^1 documents learned, 0 unchanged, 2 failed · \d+ chunks: \d+ added, 0 kept, 0 retired\n$/u);
    assert.match(first.err, /not learned: .*absent\.md \(not_found\)[^]*not learned: .*empty\.md \(validation\)/u);
    const second = await said('learn', notes);
    assert.equal(second.code, EXIT.ok);
    assert.match(second.out, /^0 documents learned, 1 unchanged · /u);
  });

  it('searches, shows, exports and lists without asking a server', async () => {
    const { found } = await told<{ found: { node: { id: string; text: string } }[] }>(
      'search',
      'which tea is liked best',
      '--limit',
      '1',
    );
    assert.match(found[0]?.node.text ?? '', /oolong/u);
    const shown = await said('show', found[0]?.node.id ?? '');
    assert.match(shown.out, /oolong/u);
    assert.equal((await said('spaces')).out, 'default\n');
    assert.match((await said('export', '--hash')).out, /^[0-9a-f]{64}\n$/u);
    const lines = (await said('export')).out.trim().split('\n');
    assert.ok(lines.some((line) => (JSON.parse(line) as { id: string }).id === found[0]?.node.id));
    const { lines: written } = await told<{ lines: number }>('export', '--out', join(home, 'space.jsonl'));
    assert.equal(written, lines.length);
  });

  it('runs a task that a person judges, and tells its rounds, its receipt and the model that served', async () => {
    const running = engraph([
      'run',
      'Which tea does the user like best?',
      '--task-id',
      'tea',
      '--judge',
      'human',
      '--home',
      home,
    ]);
    const waits = async (round: number): Promise<void> =>
      await eventually(async () => {
        const { status, current } = await told<RoundsTold>('rounds', 'tea');
        assert.deepEqual({ status, current }, { status: 'awaiting_judgement', current: { step: 0, round } });
      }, 60_000);
    await waits(0);
    assert.equal(
      (await said('judge', 'tea', '--failure', '--feedback', 'name the time of day too', '--round', '0')).code,
      EXIT.ok,
    );
    await waits(1);
    assert.equal((await said('judge', 'tea', '--failure', '--round', '0')).code, EXIT.usage, 'round 0 is judged already');
    assert.equal((await said('judge', 'tea', '--success')).code, EXIT.ok);
    const { code, out } = await running;
    assert.equal(code, EXIT.ok);
    assert.match(
      out,
      /step 0 · round 0 .*failed\n[^]*said by the human: name the time of day too\n {2}fault: [^]*step 0 · round 1 .*succeeded\n/u,
    );
    assert.match(out, /model: rules \(no LLM\)/u);
    assert.match((await said('receipt', 'tea')).out, /^step 0, by round 1\n/u);
    const { result } = await told<{ result: TaskResult }>(
      'run',
      'Which tea does the user like best?',
      '--task-id',
      'tea',
      '--judge',
      'human',
    );
    assert.deepEqual(
      { outcome: result.outcome, executions: result.executions },
      { outcome: 'succeeded', executions: 2 },
      'the same task again is the same result',
    );
  });

  it('remembers the messages of a file once, names the one that it can’t take, and tells and closes the conversation', async () => {
    const file = join(home, 'heron.jsonl');
    const messages = [
      { role: 'user', content: 'My heron is called Ferdinand.', at: '2026-01-05T10:00:00Z' },
      { role: 'assistant', content: 'A fine name for a heron.', at: '2026-02-30' },
      { role: 'user', content: ' ' },
    ];
    await writeFile(file, messages.map((message) => JSON.stringify(message)).join('\n'));
    const first = await said('remember', file, '--space', 'talk');
    assert.deepEqual([first.code, first.out], [EXIT.failed, '1 new, 0 known, 1 empty, 1 refused · 1 conversation\n']);
    assert.match(first.err, /not remembered: message 2 of heron \(bad_timestamp\): .*2026-02-30/u);
    assert.match((await said('remember', file, '--space', 'talk')).out, /^0 new, 1 known, 1 empty, 1 refused/u);
    const { found } = await told<{ found: { node: { text: string } }[] }>(
      'search',
      'what is the heron called',
      '--space',
      'talk',
    );
    assert.match(found[0]?.node.text ?? '', /Ferdinand/u);
    const flushed = await told<{ turns: number; batches: number }>('conversation', 'flush', 'heron', '--space', 'talk');
    assert.deepEqual([flushed.turns, flushed.batches], [1, 1]);
    assert.match((await said('conversation', 'status', 'heron', '--space', 'talk')).out, /^1 turns stored\n[^]*model calls/u);
    assert.equal((await said('conversation', 'close', 'heron', '--space', 'talk')).code, EXIT.ok);
    assert.equal((await said('conversation', 'flush', 'nobody', '--space', 'talk')).code, EXIT.failed, 'not found');
  });

  it('talks: remembers each line, answers from memory by the model that is set, and remembers the answer', async () => {
    const replies = [
      { answer: 'I will keep in mind that your boat is called Pelican.', cited: [], known: false },
      { answer: 'Your boat is called Pelican.', cited: [1], known: true },
    ];
    await withScriptedOpenAi({ chat: replies.map((reply) => chatReply(JSON.stringify(reply))) }, async (server) => {
      const env = { OPENAI_BASE_URL: server.baseUrl, ENGRAPH_CHAT_MODEL: 'scripted' };
      const lines = ['My boat is called Pelican.', 'What is my boat called?', '', 'this is no more said'];
      const talk = await typeTo(['chat', '--space', 'boats', '--conversation', 'quay', '--home', home, '--json'], env, lines);
      assert.equal(talk.code, EXIT.ok, talk.err);
      const answers = talk.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { answer: string; cited: string[]; known: boolean });
      assert.deepEqual(
        answers.map(({ answer, known }) => [answer, known]),
        replies.map(({ answer, known }) => [answer, known]),
      );
      assert.equal(answers[1]?.cited.length, 1);
      const asked = JSON.stringify(server.requests[1]?.body);
      assert.match(asked, /My boat is called Pelican/u);
      assert.match(asked, /keep in mind/u, 'what was answered is a memory too, or an act of the talk');
    });
    const { turns } = await told<{ turns: number }>('conversation', 'status', 'quay', '--space', 'boats');
    assert.equal(turns, 4, 'two lines and two answers');
  });

  it('ends with 1 when a task fails, and when it is cancelled', async () => {
    const failed = await said('run', 'What is the boiling point of tungsten hexafluoride?', '--rounds', '0');
    assert.equal(failed.code, EXIT.failed);
    assert.match(failed.out, /failed: rounds exhausted/u);
    const running = said('run', 'Which tea?', '--task-id', 'stopped', '--judge', 'human');
    await eventually(
      async () => assert.equal((await told<RoundsTold>('rounds', 'stopped')).status, 'awaiting_judgement'),
      60_000,
    );
    assert.equal((await said('cancel', 'stopped')).code, EXIT.ok);
    const { code, out } = await running;
    assert.equal(code, EXIT.failed);
    assert.match(out, /cancelled/u);
  });

  it('finds all well by doctor and setup', async () => {
    const { code, out } = await said('doctor');
    assert.equal(code, EXIT.ok, out);
    assert.match((await said('setup')).out, /has all search attributes already/u);
  });

  it('stops a worker in order on SIGTERM, and server and worker on Ctrl-C', async () => {
    const worker = await startEngraph('worker', { ENGRAPH_HOME: home });
    assert.deepEqual(worker.ready['queues'], ['engraph', 'engraph-store', 'engraph-text', 'engraph-model']);
    assert.equal(await worker.stop('SIGTERM'), EXIT.ok);
    assert.equal(await dev.stop('SIGINT'), EXIT.interrupted);
    assert.equal((await said('rounds', 'tea')).code, EXIT.unavailable, 'the server has ended too');
    dev = await startEngraph('dev', { ENGRAPH_HOME: home });
    assert.equal((await told<RoundsTold>('rounds', 'tea')).status, 'succeeded', 'what was done is there after a restart');
  });
});
