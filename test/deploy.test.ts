import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import { loadConfig } from '../src/config.js';
import { freshPayloadKey } from '../src/setup/payload-keys.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly restart?: string;
  readonly stop_grace_period?: string;
}

describe('the compose file', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
  const named = (name: string): Service => services[name] ?? assert.fail(`there is no service ${name}`);

  it('has the whole set, each image by a version of its own', () => {
    const images = Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]));
    assert.deepEqual(Object.keys(images).sort(), [
      ...['postgresql', 'qdrant', 'setup', 'temporal', 'temporal-namespace', 'temporal-schema', 'temporal-ui', 'worker'],
    ]);
    for (const image of Object.values(images)) assert.match(image, /^[a-z/-]+:v?\d+\.\d+[\w.-]*$/u);
    assert.equal(images['setup'], images['worker']);
    assert.match(
      images['worker'] ?? '',
      new RegExp(`:${(JSON.parse(read('package.json')) as { version: string }).version}$`, 'u'),
    );
  });

  it('publishes nothing but on 127.0.0.1', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    assert.ok(ports.length > 0);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/u);
  });

  it('does not start without the keys and passwords, and has none of its own', () => {
    const needed = new Set<string>();
    for (const { environment = {} } of Object.values(services)) {
      for (const [name, value] of Object.entries(environment)) {
        const must = /^\$\{(\w+):\?.+\}$/u.exec(value ?? '')?.[1];
        if (must !== undefined) needed.add(must);
        else if (/PASSWORD|PWD|KEYS?$/u.test(name)) assert.equal(value, null, `${name} has a value of its own`);
      }
    }
    assert.deepEqual([...needed].sort(), ['ENGRAPH_PAYLOAD_KEYS', 'POSTGRES_PASSWORD', 'QDRANT_API_KEY']);
  });

  it('waits for what is needed, until it is well or done', () => {
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, restart } = named(other);
        if (condition === 'service_healthy') assert.ok(healthcheck?.test, `${name} waits for the health of ${other}`);
        else assert.equal(restart?.replace(/:\d+$/u, ''), 'on-failure', `${name} waits for the end of ${other}`);
      }
    }
    assert.deepEqual(Object.keys(named('worker').depends_on ?? {}).sort(), ['qdrant', 'setup']);
  });

  for (const name of ['setup', 'worker']) {
    it(`gives ${name} only settings that there are, and payload encryption and Qdrant among them`, () => {
      const values: Record<string, string> = { ENGRAPH_PAYLOAD_KEYS: freshPayloadKey('k'), QDRANT_API_KEY: 'q' };
      const samples: Record<string, string> = {
        ...{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'k', ENGRAPH_CHAT_MODEL: 'm' },
        ...{ ENGRAPH_MODEL_CONCURRENCY: '2', ENGRAPH_MODEL_RPS: '3' },
      };
      const env = Object.entries(named(name).environment ?? {}).map(([key, value]) => {
        if (value === null) return [key, samples[key] ?? assert.fail(`the test has no value for ${key}`)] as const;
        return [key, values[/^\$\{(\w+):/u.exec(value)?.[1] ?? ''] ?? value] as const;
      });
      const config = loadConfig({ HOME: '/home/ada', ...Object.fromEntries(env) });
      assert.equal(config.payloadKeys?.[0].id, 'k');
      assert.deepEqual([config.qdrant.url, config.qdrant.apiKey], ['http://qdrant:6333', 'q']);
      assert.deepEqual(config.temporal, {
        ...{ kind: 'server', namespace: 'engraph' },
        connectionOptions: { address: 'temporal:7233' },
      });
    });
  }

  it('gives a worker longer to stop than it takes at most', () => {
    assert.equal(named('worker').stop_grace_period, '30s');
  });

  it('finds Qdrant well when it answers so, and not when it does not', async () => {
    const [, shell = '', ...args] = named('qdrant').healthcheck?.test ?? [];
    const found = async (status: number): Promise<number> => {
      const server = createServer((_request, response) => response.writeHead(status).end('so')).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      const own = args.map((arg) => arg.replaceAll('6333', String(port)).replaceAll('$$', '$'));
      const code = await new Promise<number>((resolve) => {
        execFile(shell, own, (error) => resolve(error === null ? 0 : Number(error.code)));
      });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return code;
    };
    assert.equal(await found(200), 0);
    assert.equal(await found(503), 1);
  });

  it('runs shell commands that a shell can read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engraph-compose-'));
    try {
      for (const name of ['temporal-schema', 'temporal-namespace']) {
        const [script = ''] = named(name).command ?? [];
        const file = join(folder, name);
        writeFileSync(file, script.replaceAll('$$', '$'));
        await new Promise<void>((resolve, reject) =>
          execFile('sh', ['-n', file], (error) => (error ? reject(error) : resolve())),
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1));

  it('copies only what is there, and what .dockerignore lets in; nothing else is let in', () => {
    for (const path of copied) assert.ok(existsSync(join(root, path)), path);
    const [deny, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    assert.equal(deny, '*');
    assert.deepEqual(allowed.map((line) => line.replace(/^!/u, '')).sort(), [...copied].sort());
  });

  it('ends in an image whose user is not root, that tells its health, and that runs a worker', () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    const instruction = (word: string): string => last.find((line) => line.startsWith(`${word} `)) ?? '';
    assert.match(instruction('USER'), /^USER [1-9]\d*:[1-9]\d*$/u);
    assert.match(instruction('HEALTHCHECK'), /"health"\]$/u);
    assert.deepEqual(
      [instruction('ENTRYPOINT'), instruction('CMD')],
      ['ENTRYPOINT ["node", "dist/src/cli.js"]', 'CMD ["worker"]'],
    );
  });

  it('sets only settings that there are', () => {
    const set = lines.join('\n').match(/^ENV [\s\S]*?[^\\]$/mu)?.[0] ?? '';
    const env = Object.fromEntries([...set.matchAll(/(\w+)=(\S+)/gu)].map(([, name, value]) => [name, value]));
    const config = loadConfig({ HOME: '/home/ada', ...env });
    assert.deepEqual([config.home, config.healthPort], ['/var/lib/engraph', 8235]);
    assert.deepEqual(config.embedder, { kind: 'minilm', modelDir: '/opt/engraph/minilm-l6-v2-int8' });
  });
});
