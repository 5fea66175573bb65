import assert from 'node:assert/strict';

import { dot } from '../../src/domain/vector.js';
import { startEnvironment, stopEnvironment, type Stage } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';
import { WordEmbedder } from '../support/word-embedder.js';

const [OLD, NEW] = ['takes 10 mg of the blue pill', 'takes 20 mg of the blue pill'] as const;
const METADATA = { category: 'health', source: 'visit-7', importance: 0.9 };

describe('O24: a fact whose text changes', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  const chat = keeping({ ten: [OLD], twenty: [NEW] }, ({ fact, numberOf }) =>
    fact === NEW ? [verdict(numberOf(OLD), 'merge', NEW)] : [],
  );
  const ways: [string, (stage: Stage, space: string, nodeId: string) => Promise<unknown>][] = [
    [
      'by consolidation',
      async (stage, space) => {
        await ingest(stage, space, [said('twenty', { at: '2024-02-01T10:00:00Z', metadata: { importance: 0.5 } })]);
        await consolidate(stage, space);
      },
    ],
    [
      'by the direct call',
      ({ client }, space, nodeId) => client.update(space, nodeId, { text: NEW, metadata: { importance: 0.5 } }, { key: 'dose' }),
    ],
  ];
  for (const [way, change] of ways) {
    const space = `o24 ${way}`;
    it(`${way} keeps its id, its source and its metadata, and has the vector of the new text`, async () => {
      await withIngest(chat, async (stage) => {
        await ingest(stage, space, [said('ten', { at: '2024-01-01T10:00:00Z', metadata: METADATA })]);
        await consolidate(stage, space);
        const [before] = await factsOf(stage.memory, space);
        assert.ok(before !== undefined);
        await change(stage, space, before.id);
        const [after, ...others] = await factsOf(stage.memory, space);
        assert.deepEqual([after?.id, after?.text, others.length], [before.id, NEW, 0]);
        assert.deepEqual(after?.metadata, { ...METADATA, importance: 0.5 });
        assert.deepEqual([after.space, after.source.conversation, after.validFrom], [space, 's1', before.validFrom]);
        assert.deepEqual(after.source.turns?.slice(0, 1), before.source.turns);
        const [wanted = []] = await new WordEmbedder().embed([NEW]);
        assert.ok(dot((await stage.memory.nodes.vectors(space, [before.id])).get(before.id) ?? [], wanted) >= 0.999);
        const versions = [];
        for await (const { id, version, recordedAt } of stage.client.export(space))
          if (id === before.id) versions.push([Number(version), String(recordedAt)] as const);
        const [first, last] = [versions.sort(([a], [b]) => a - b)[0], versions.at(-1)];
        assert.equal(first?.[1], before.recordedAt, 'it was created when it was');
        assert.ok(String(last?.[1]) > before.recordedAt, 'and updated later');
      });
    });
  }
});
