import { qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { describeVectorStore } from './vector-store.js';

describe('Qdrant', function () {
  this.timeout(120_000);
  let qdrant: QdrantForTests;
  before(async () => void (qdrant = await qdrantForTests()));
  after(() => qdrant.stop());

  describeVectorStore('QdrantVectorStore', async () => qdrant.open());
});
