// In a project of your own: from 'engraph'.
import {
  connectClient,
  EngraphClient,
  findTemporal,
  loadConfig,
  openMemory,
  startWorker,
  temporalClient,
} from '../../src/index.js';

const config = loadConfig();
const temporal = await findTemporal(config); // the server that TEMPORAL_ADDRESS names, else a dev server
const worker = await startWorker(config, temporal); // in production: `engraph worker`, in processes of their own
const memory = await openMemory(config);
const connection = await connectClient(temporal);
const engraph = new EngraphClient({ temporal: temporalClient(config, temporal, connection), memory });

await engraph.learn('ops', {
  document: 'billing.md',
  text: 'The billing service listens on port 8443. Ask dana@example.org for access.',
});
const task = await engraph.startTask({
  space: 'ops',
  taskId: 'billing-port',
  instruction: 'On which port does the billing service listen?',
});
console.log(await task.result());
for (const { round, outcome, links } of (await task.rounds()).rounds) console.log({ round, outcome, links: links.length });
for (const { node, score } of await engraph.search('ops', 'whom to ask about billing'))
  console.log(score.toFixed(2), node.kind, node.text);

await worker.stop();
await memory.close();
await connection.close();
await temporal.devServer?.stop();
