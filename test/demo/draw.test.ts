import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { DemoDocument } from '../../demo/corpus.js';
import { without, type DemoTask } from '../../demo/draw.js';
import { feedbackOn } from '../../demo/facts.js';
import { installedPackages } from '../../demo/packages.js';
import { prepare } from '../../demo/prepare.js';
import type { Stage } from '../../demo/rehearsal.js';
import { openStage } from '../../demo/understudy.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { OnnxEmbedder } from '../../src/adapters/onnx.js';
import { RulesModel } from '../../src/adapters/rules.js';
import { memoryOver } from '../../src/compose.js';
import type { Embedder } from '../../src/ports/embedder.js';
import { miniLmDir } from '../support/minilm.js';
import { learnHere, rememberingEmbedder } from './learned.js';

const PROJECT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const SPACE = 'demo';

const ofRole = (tasks: readonly DemoTask[], role: DemoTask['role']): DemoTask[] => tasks.filter((task) => task.role === role);

describe('the tasks of the demo, drawn over whatever is installed', function () {
  this.timeout('5 minutes'); // the first seed embeds some four hundred chunks

  const packages = installedPackages(resolve(PROJECT, 'node_modules'));
  let embedder: Embedder;
  before(async () => {
    embedder = rememberingEmbedder(await OnnxEmbedder.open(await miniLmDir()));
  });

  for (let seed = 1; seed <= 20; seed++) {
    it(`seed ${seed}: every expand, prune and reshape is needed, and the impossible fails honestly`, async () => {
      const store = new InMemoryVectorStore();
      await store.ensure(embedder.identity);
      const memory = memoryOver(store, embedder);
      const open = (): Promise<Stage> => openStage(store, SPACE, embedder, new RulesModel());
      const learn = (documents: readonly DemoDocument[]): Promise<void> => learnHere(documents, SPACE, memory);
      const { tasks } = await prepare({ seed, project: PROJECT, packages, learn, openStage: open });

      assert.ok(tasks.length >= 8);
      const stage = await open();
      for (const edit of ['expand', 'prune', 'reshape'] as const) {
        assert.ok(ofRole(tasks, edit).length >= 1, `a task that needs ${edit}`);
        for (const { question, promised } of ofRole(tasks, edit)) {
          assert.ok(promised.success && promised.edits.includes(edit), `"${question.instruction}" succeeds by ${edit}`);
          const off = await stage.play(question, { edits: without(edit) });
          assert.equal(off.success, false, `"${question.instruction}" fails without ${edit}`);
        }
      }
      assert.equal(ofRole(tasks, 'person').length, 1);
      const [impossible] = ofRole(tasks, 'impossible');
      assert.deepEqual([impossible?.promised.success, impossible?.promised.repairs], [false, 5]);
      for (const { question, promised } of tasks) assertNothingGivenAway(question.fact, promised.answers);
    });
  }
});

/** No word of the judge holds the truth, whatever it is said about. */
function assertNothingGivenAway(fact: DemoTask['question']['fact'], answers: readonly string[]): void {
  for (const answer of [...answers, '', 'nothing of the kind', '0.0.0', '7', 'No One', ...fact.others]) {
    if (answer === fact.value) continue;
    assert.ok(!feedbackOn(fact, answer).includes(fact.value), `the feedback on "${answer}" holds the answer`);
  }
}
