import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { McpTools } from '../../src/adapters/mcp-tools.js';
import { ToolFailure, type ToolSession } from '../../src/ports/tools.js';
import { kind } from '../support/points.js';

const file = fileURLToPath(new URL('../support/tool-server.ts', import.meta.url));
const SERVERS = {
  stock: { command: process.execPath, args: ['--import', 'tsx', file] },
  missing: { command: '/no/such/program-with-a-secret' },
  closed: { url: 'http://127.0.0.1:1/mcp' },
};
const KEY = { idempotencyKey: 'k' };

/** A failure of a tool whose message says this. */
const toolFailure = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ToolFailure, String(error));
  assert.match(error.message, says);
  return true;
};

describe('tools of an MCP server', function () {
  this.timeout(60_000);
  let session: ToolSession;

  before(async () => {
    session = await new McpTools(SERVERS).open('stock');
  });
  after(() => session.close());

  it('are listed with their schemas, in the server’s order', async () => {
    const tools = await session.list();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['stock', 'broken', 'slow'],
    );
    assert.deepEqual(Object.keys(tools[0]?.inputSchema['properties'] as object), ['item', 'shelf']);
  });

  it('answer a call', async () => {
    assert.deepEqual(await session.call('stock', { item: 'oolong' }, KEY), { outcome: 'answered', text: '17 boxes' });
  });

  for (const [what, name, args, says] of [
    ['an unknown tool', 'stocks', {}, /no tool "stocks"; there are stock, broken, slow/u],
    ['a missing argument', 'stock', {}, /item/u],
    ['an argument of another type', 'stock', { item: 1 }, /item/u],
    ['an argument of another form', 'stock', { item: 'oolong', shelf: 'abc' }, /shelf|pattern/u],
  ] as const) {
    it(`refuse ${what} and say why`, async () => {
      const result = await session.call(name, args, KEY);
      assert.equal(result.outcome, 'refused');
      assert.match(result.text, says);
    });
  }

  it('fail as the tool fails', async () => {
    await assert.rejects(
      session.call('broken', {}, KEY),
      toolFailure(/"broken" of the MCP server "stock" failed: the shelf fell down/u),
    );
  });

  it('give up on a tool that does not answer in time', async () => {
    const impatient = await new McpTools(SERVERS, { timeoutMs: 5_000 }).open('stock');
    try {
      await impatient.list();
      await assert.rejects(impatient.call('slow', {}, KEY), toolFailure(/"slow".*timed out/iu));
    } finally {
      await impatient.close();
    }
  });

  it('end with the signal’s reason when the caller gives up', async () => {
    const reason = new Error('the task was cancelled');
    await assert.rejects(session.call('slow', {}, { ...KEY, signal: AbortSignal.abort(reason) }), reason);
  });
});

describe('an MCP server that is not there', () => {
  it('is a configuration error where nobody configured it, which names those that are', async () => {
    await assert.rejects(new McpTools(SERVERS).open('other'), (error) => {
      assert.match((error as Error).message, /"other" \(it knows: stock, missing, closed\); name it in ENGRAPH_MCP_SERVERS/u);
      return kind('config')(error);
    });
  });

  it('fails where it cannot be started, and the message holds no command', async () => {
    await assert.rejects(new McpTools(SERVERS).open('missing'), (error) => {
      assert.doesNotMatch((error as Error).message, /secret/u);
      return toolFailure(/"missing" can't be reached: ENOENT/u)(error);
    });
  });

  it('fails where nobody listens', async () => {
    await assert.rejects(new McpTools(SERVERS).open('closed'), toolFailure(/"closed" can't be reached/u));
  });
});
