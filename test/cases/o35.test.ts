import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import type { ProceduralNode } from '../../src/domain/graph.js';
import type { Completion, LanguageModel, Prompt } from '../../src/ports/language-model.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../support/environment.js';

const SPACE = 'two kinds of tasks';
const TEA = ['Brew a pot of green tea', 'Brew a pot of black tea', 'Brew a pot of mint tea'];
const LEDGER = [
  'Check the invoice of March in the ledger',
  'Check the invoice of May in the ledger',
  'Check the invoice of June in the ledger',
];

/** Rules that tell what they were asked. */
class Counted implements LanguageModel {
  readonly name = 'counted rules';
  readonly isLanguageModel = false;
  readonly asked: string[] = [];
  readonly #rules = new RulesModel();

  async complete(prompt: Prompt): Promise<Completion> {
    this.asked.push(prompt.name);
    return await this.#rules.complete(prompt);
  }

  async close(): Promise<void> {}
}

describe('O35 · consolidation over and over', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('adds no twins: nothing new is no change and no question, one more episode is the next version of its skill', async () => {
    const model = new Counted();
    const execute = ({ instruction }: { instruction: string }) => ({
      action: instruction.includes('tea') ? 'boil water and wait' : 'open the ledger and compare',
      status: 'succeeded' as const,
    });
    await withEngraph({ execute, model }, async (stage) => {
      for (const instruction of [...TEA, ...LEDGER]) await run(stage, instruction);
      const first = await consolidated(stage);
      assert.equal(first.length, 2);

      const asked = model.asked.length;
      const second = await consolidated(stage);
      assert.deepEqual(second, first);
      assert.equal(model.asked.length, asked);

      await run(stage, 'Brew a pot of nettle tea');
      const third = await consolidated(stage);
      const isTea = ({ text }: ProceduralNode): boolean => text.includes('tea');
      assert.equal(third.length, 2);
      const [before, after] = [first.find(isTea), third.find(isTea)];
      assert.deepEqual([after?.id, after?.version], [before?.id, (before?.version ?? 0) + 1]);
      assert.equal(after?.edges.distilledFrom?.length, (before?.edges.distilledFrom?.length ?? 0) + 1);
      assert.deepEqual(
        third.filter((node) => !isTea(node)),
        first.filter((node) => !isTea(node)),
      );

      const versions: number[] = [];
      for await (const node of stage.memory.nodes.scan(SPACE, { kinds: ['procedural'], includeRetired: true }))
        if (node.id === after?.id) versions.push(node.version);
      assert.deepEqual(versions.sort(), [1, 2], 'the version before is in history');
      const found = await stage.memory.recall.search(SPACE, 'a pot of tea', { kinds: ['procedural'] });
      assert.deepEqual(
        found.filter(({ node }) => node.id === after?.id).map(({ node }) => node.version),
        [2],
        'and is not recalled',
      );
    });
  });
});

async function run({ client, agent }: Stage, instruction: string): Promise<void> {
  await client.runTask({ space: SPACE, taskId: instruction, instruction, agent });
}

async function consolidated({ client, memory }: Stage): Promise<ProceduralNode[]> {
  await client.sleep(SPACE);
  const nodes: ProceduralNode[] = [];
  for await (const node of memory.nodes.scan(SPACE, { kinds: ['procedural'] })) nodes.push(node as ProceduralNode);
  return nodes.sort((a, b) => (a.id < b.id ? -1 : 1));
}
