import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import type { EpisodicNode, ProceduralNode } from '../../src/domain/graph.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../support/environment.js';
import { numbersIn } from '../support/numbers.js';

/** Runs tasks that succeed, one an instruction. */
async function succeed({ client, agent }: Stage, space: string, instructions: readonly string[]): Promise<void> {
  for (const [at, instruction] of instructions.entries()) {
    const { outcome } = await client.runTask({ space, taskId: `t${at}`, instruction, agent });
    assert.equal(outcome, 'succeeded');
  }
}

const done = { execute: () => ({ action: 'done as it must be', status: 'succeeded' as const }), model: new RulesModel() };
const SAME = Array.from({ length: 4 }, () => 'Water the ferns in the hall');
const THREE = ['Water the ferns', 'Polish brass bells with vinegar', 'Translate seven letters into Danish'];

/** What a consolidation left: its clusters by their episodes, and whether all is told in finite numbers. */
async function consolidated({ client, memory }: Stage, space: string, numClusters?: number) {
  const { skills } = await client.sleep(space, {
    phases: ['consolidate', 'ripen'],
    ...(numClusters !== undefined && { ripen: { numClusters } }),
  });
  const { points } = await memory.store.scan(space, { with: { vector: true, terms: true } });
  for (const number of numbersIn([skills, points])) assert.ok(Number.isFinite(number));
  assert.doesNotMatch(JSON.stringify(points.map(({ vector }) => vector ?? [])), /null/u);
  const episodes: EpisodicNode[] = [];
  const found: ProceduralNode[] = [];
  for await (const node of memory.nodes.scan(space)) {
    if (node.kind === 'episodic') episodes.push(node);
    if (node.kind === 'procedural') found.push(node);
  }
  const clusters = found.map(({ edges }) => [...(edges.distilledFrom ?? [])].sort()).sort();
  const tasks = clusters.map((ids) => episodes.filter(({ id }) => ids.includes(id)).map(({ instruction }) => instruction)).sort();
  assert.deepEqual(clusters.flat().sort(), episodes.map(({ id }) => id).sort(), 'every episode is in exactly one cluster');
  return { skills, clusters, tasks };
}

describe('O34 · consolidation of few, equal and no episodes', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('(a) makes one cluster of one episode', async () => {
    await withEngraph(done, async (stage) => {
      await succeed(stage, 'one', SAME.slice(0, 1));
      const { skills, clusters } = await consolidated(stage, 'one');
      assert.deepEqual([skills?.clusters, clusters.length], [1, 1]);
    });
  });

  it('(b) makes one cluster of four episodes in one place, however many are asked for', async () => {
    await withEngraph(done, async (stage) => {
      await succeed(stage, 'same', SAME);
      const { skills, clusters } = await consolidated(stage, 'same', 3);
      assert.deepEqual([skills?.clusters, clusters.length], [1, 1]);
    });
  });

  it('(c) makes three clusters at most of three episodes where eight are asked for, the same on equal stores', async () => {
    const made: string[][][] = [];
    for (const space of ['few', 'few again']) {
      await withEngraph(done, async (stage) => {
        await succeed(stage, space, THREE);
        const { skills, clusters, tasks } = await consolidated(stage, space, 8);
        assert.ok((skills?.clusters ?? 9) <= 3 && clusters.length <= 3);
        made.push(tasks);
      });
    }
    assert.deepEqual(made[0], made[1]);
  });

  it('(d) makes nothing of no episodes', async () => {
    await withEngraph(done, async (stage) => {
      const { skills, clusters } = await consolidated(stage, 'none');
      assert.deepEqual([skills?.clusters, clusters.length, skills?.spent.calls], [0, 0, 0]);
    });
  });
});
