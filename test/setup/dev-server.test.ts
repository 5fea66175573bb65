import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';

import { loadConfig } from '../../src/config.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { startDevServer, stopDevServer } from '../../src/setup/dev-server.js';
import { identityOf } from '../../src/setup/process.js';
import { ensureSearchAttributes, missingSearchAttributes } from '../../src/setup/search-attributes.js';

describe('startDevServer', function () {
  this.timeout(120_000); // the server may have to be fetched first
  let home: string;
  before(async () => (home = await mkdtemp(join(tmpdir(), 'engraph-home-'))));
  after(async () => await rm(home, { recursive: true }));

  it('starts one server for all who ask, with our namespace and search attributes, and stops it', async () => {
    const config = loadConfig(process.env, { ENGRAPH_HOME: home });
    const servers = await Promise.all([startDevServer({ config }), startDevServer({ config })]);
    const owner = servers.find(({ owned }) => owned);
    const guest = servers.find(({ owned }) => !owned);
    assert.ok(owner && guest, 'one started it, the other found it');
    assert.deepEqual([guest.pid, guest.address], [owner.pid, owner.address]);

    const { address, namespace } = owner;
    const connection = await Connection.connect({ address });
    try {
      assert.deepEqual(await missingSearchAttributes(connection, namespace), []);
      const { config: settings } = await connection.workflowService.describeNamespace({ namespace });
      assert.equal(tsToMs(settings?.workflowExecutionRetentionTtl ?? undefined), 90 * 24 * 3_600_000);
      const other = loadConfig(process.env, { ENGRAPH_HOME: home });
      const elsewhere = await startDevServer({ config: { ...other, temporal: { kind: 'dev', namespace: 'another' } } });
      assert.equal(elsewhere.pid, owner.pid, 'another namespace is another namespace of the same server');
      assert.deepEqual(await ensureSearchAttributes(connection, 'another'), []);
    } finally {
      await connection.close();
    }

    await guest.stop();
    assert.notEqual(await identityOf(owner.pid), undefined, 'a guest does not stop what others use');
    await owner.stop();
    assert.equal(await identityOf(owner.pid), undefined);
    assert.ok(!(await readdir(home)).includes('dev-server.json'));
    assert.equal(await stopDevServer(config), false);
  });
});

describe('missingSearchAttributes', () => {
  it('refuses a namespace that has one of ours with another type', async () => {
    const connection = {
      operatorService: {
        listSearchAttributes: () => Promise.resolve({ customAttributes: { EngraphRound: 2 } }),
        addSearchAttributes: () => assert.fail('nothing may be added'),
      },
    };
    await assert.rejects(missingSearchAttributes(connection as never, 'space'), (error: EngraphError) => {
      assert.equal(error.kind, 'config');
      assert.match(error.message, /EngraphRound of type Keyword, where Engraph needs Int/);
      return true;
    });
  });
});
