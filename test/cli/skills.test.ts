import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { EXIT } from '../../src/cli/exit-codes.js';
import { sparkline } from '../../src/cli/telling-skills.js';
import { memoryOver } from '../../src/compose.js';
import { idOf } from '../../src/domain/id.js';
import type { RipenRound } from '../../src/domain/skills.js';
import { SkillStore } from '../../src/store/skills.js';
import { engraph } from '../support/command-line.js';
import { anEpisode, aSkill } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const round = (at: number, pems: number, more: Partial<RipenRound> = {}): RipenRound => ({
  ...{ round: at, version: 1, rewritten: false, text: { 'engraph:ref': 'r' }, eta: 1, tokens: 20, drift: 0, pems },
  ...{ sources: 4, succeeded: 4, estimated: false, verdict: 'measured', ...more },
});

describe('engraph skills', () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'engraph-cli-'));
    const store = await SqliteVectorStore.open(join(home, 'memory.db'));
    const memory = memoryOver(store, new WordEmbedder());
    await store.ensure(memory.embedder.identity);
    const episode = anEpisode('open <the> vault');
    const skill = aSkill('For tasks like: open <the> vault\n1. turn the dial', { distilledFrom: [episode.id] });
    const recordedAt = '2026-01-01T00:00:00.000Z';
    await memory.nodes.insert('ann', [skill], { recordedAt, token: 'skill' });
    await memory.nodes.insert('ann', [episode, anEpisode('again', { inherited: [skill.id] })], { recordedAt, token: 'episodes' });
    const rounds = [
      round(1, 0.1),
      round(2, 0.2, { rewritten: true, verdict: 'better' }),
      round(3, 0, { succeeded: 0, verdict: 'refused' }),
    ];
    await new SkillStore(store).keep('ann', skill.id, (history) => ({
      ...history,
      rounds: rounds.map((one) => ({ ...one, runId: idOf('run'), at: recordedAt })),
      ripened: { version: 1, stopped: 'refused', counterExamples: 0 },
    }));
    await memory.close();
  });
  after(async () => await rm(home, { recursive: true, force: true }));

  it('tells where each skill stands, its uses, and every round with its reason', async () => {
    const { code, out } = await engraph(['skills', 'ann', '--home', home]);
    assert.equal(code, EXIT.ok);
    assert.match(out, /^trial skill [\da-f-]{36}, version 1: PEMS 0\.2500, estimated, refused$/mu);
    assert.match(out, /drawn from 1 episodes; used by 1 tasks, 1 went well/u);
    assert.match(out, /PEMS by round ▅█▁/u);
    assert.match(out, /round 2: a rewrite of version 1: 4 of 4 went well, 20 tokens, drift 0\.000, PEMS 0\.2000: better/u);
    assert.match(out, /round 3: version 1: 0 of 4 went well, .*: refused/u);
    assert.doesNotMatch(out, /turn the dial/u);
    assert.match((await engraph(['skills', 'ann', '--home', home, '--text'])).out, /turn the dial/u);
  });

  it('tells the same as JSON, and an empty space as empty', async () => {
    const { out } = await engraph(['skills', 'ann', '--home', home, '--json']);
    const { skills } = JSON.parse(out) as { skills: { rounds: unknown[]; used: number }[] };
    assert.deepEqual([skills.length, skills[0]?.rounds.length, skills[0]?.used], [1, 3, 1]);
    assert.match((await engraph(['skills', 'bob', '--home', home])).out, /no skills/u);
  });

  it('draws the scores by round into a picture that a skill’s text cannot break', async () => {
    const file = join(home, 'skills.svg');
    assert.equal((await engraph(['skills', 'plot', 'ann', '--out', file, '--home', home])).code, EXIT.ok);
    const svg = await readFile(file, 'utf8');
    assert.match(svg, /^<svg [^]*<polyline points="[\d., ]+"[^]*<\/svg>\n$/u);
    assert.match(svg, /open &lt;the&gt; vault/u);
    assert.equal(svg.match(/<circle/gu)?.length, 2);
    assert.equal(svg.match(/<path/gu)?.length, 1, 'a refused round is a cross');
  });

  it('is a flat line where all scores are equal, and none where there are none', () => {
    assert.equal(sparkline([0.3, 0.3]), '██');
    assert.equal(sparkline([0, 0]), '▁▁');
    assert.equal(sparkline([]), '');
  });
});
