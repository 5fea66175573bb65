import assert from 'node:assert/strict';

import fc from 'fast-check';

import { redactSecrets } from '../../src/domain/redact.js';

/** Made up here, and put together at run time so that no scanner takes this file for a leak. */
const made = (...parts: string[]): string => parts.join('');
const LETTERS = 'abcdefghij0123456789ABCDEFGHIJ9876543210';

const SECRETS: [kind: string, secret: string][] = [
  ['api key', made('sk-', 'proj-', LETTERS)],
  ['api key', made('sk-', LETTERS.slice(0, 24))],
  ['api key', made('sk_', 'live_', LETTERS.slice(0, 24))],
  ['api key', made('AKIA', 'ABCDEFGHIJ234567')],
  ['api key', made('AIza', LETTERS.slice(0, 35))],
  ['token', made('ghp_', LETTERS.slice(0, 36))],
  ['token', made('github_pat_', LETTERS)],
  ['token', made('xoxb-', '123456789012-', LETTERS.slice(0, 12))],
  ['token', made('glpat-', LETTERS.slice(0, 20))],
  ['jwt', made('eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0', '.', LETTERS)],
  ['private key', made('-----BEGIN RSA ', 'PRIVATE KEY-----\n', LETTERS, '\n-----END RSA PRIVATE KEY-----')],
  ['card number', '4111111111111111'],
  ['card number', '4111 1111 1111 1111'],
  ['card number', '5555-5555-5555-4444'],
  ['card number', '3782 822463 10005'],
];

const HARMLESS = [
  '95e0dbf1c2a4b6d8e0f2a4c6e8f0a2b4c6d8e0f2',
  'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
  '7d1e4b7c-0f4e-5a0f-9a3c-5b1c8f2d6e90',
  '41111111-1111-5111-8111-111111111111',
  'version 1.23.0, or v20.20.2, or 2026.11.30',
  'ISBN 978-3-16-148410-0 and 9783161484100',
  '4111111111111112',
  'built at 1764500000000, 1700000000000 ms',
  'order 1234567812345670',
  'sk-learn, sk-something-quite-long-but-a-name',
  'Bearer authentication, the bearer of good news and considerations',
  'tokens: ghp_ is a prefix, as xoxb- and AKIA are',
  '+49 170 1234567',
];

describe('redactSecrets', () => {
  for (const [kind, secret] of SECRETS) {
    it(`takes out the ${kind} ${secret.slice(0, 8)}… wherever it stands, and says how many`, () => {
      assert.deepEqual(redactSecrets(`use ${secret}, please`), { text: `use [redacted:${kind}], please`, redacted: 1 });
      assert.deepEqual(redactSecrets(secret), { text: `[redacted:${kind}]`, redacted: 1 });
    });
  }

  it('takes out a bearer token and leaves the word before it', () => {
    assert.equal(redactSecrets(`Authorization: Bearer ${LETTERS}`).text, 'Authorization: Bearer [redacted:token]');
  });

  it('takes out a private key whose end is missing', () => {
    assert.equal(redactSecrets(made('a -----BEGIN ', 'PRIVATE KEY-----\n', LETTERS)).text, 'a [redacted:private key]');
  });

  for (const harmless of HARMLESS) {
    it(`leaves ${harmless} as it is`, () => assert.deepEqual(redactSecrets(harmless), { text: harmless, redacted: 0 }));
  }

  it('finds nothing in what it has been through, whatever the text', () => {
    const pieces = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...SECRETS.map(([, secret]) => secret), ...HARMLESS));
    fc.assert(
      fc.property(fc.array(pieces), (texts) => {
        const { text } = redactSecrets(texts.join(' '));
        assert.deepEqual(redactSecrets(text), { text, redacted: 0 });
      }),
    );
  });
});
