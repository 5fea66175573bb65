import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { describeVectorStore } from './vector-store.js';

describeVectorStore('InMemoryVectorStore', async () => new InMemoryVectorStore());
