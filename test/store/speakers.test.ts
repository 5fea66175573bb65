import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { Speakers } from '../../src/store/speakers.js';

describe('Speakers', () => {
  it('keeps each name of a space once, sorted, and none of another space', async () => {
    const speakers = new Speakers(new InMemoryVectorStore());
    await speakers.add('ann', ['Melanie', 'Caroline', 'Melanie']);
    await speakers.add('ann', ['Caroline', ' Jon ']);
    assert.deepEqual(await speakers.list('ann'), ['Caroline', 'Jon', 'Melanie']);
    assert.deepEqual(await speakers.list('ben'), []);
  });

  it('writes nothing for names that are known or blank', async () => {
    const store = new InMemoryVectorStore();
    const speakers = new Speakers(store);
    await speakers.add('ann', ['', ' \n']);
    assert.equal(await store.count('ann'), 0);
    await speakers.add('ann', ['Jon']);
    const [before] = (await store.scan('ann', {})).points;
    await speakers.add('ann', ['Jon', '']);
    assert.deepEqual((await store.scan('ann', {})).points, [before]);
  });

  it('loses no name to writers at once', async () => {
    const speakers = new Speakers(new InMemoryVectorStore());
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => speakers.add('ann', [name])));
    assert.deepEqual(await speakers.list('ann'), ['a', 'b', 'c', 'd']);
  });
});
