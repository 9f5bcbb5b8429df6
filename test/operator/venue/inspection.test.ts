import { createHmac } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { createL1Headers } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import fc from 'fast-check';
import { createInspection, type Inspection } from '../../../operator/venue/inspection.ts';
import { AppError } from '../../../shared/errors.ts';
import { createLog } from '../../../shared/log.ts';
import { Secret } from '../../../shared/secret.ts';
import type { Call } from '../../../shared/venue/port.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';
import { clientSigner } from '../../../tools/support/paper-client.ts';
import { fakeOnly } from '../../support/jest.ts';
import { callWithin, type Reply, type Script, startVenue } from '../../support/venue/scripted-venue.ts';

const log = createLog({ level: 'error', write: () => undefined });
const PRIVATE_KEY = `0x${'5d'.repeat(32)}`;
const WALLET = openWallet(new Secret(PRIVATE_KEY));
const CREDENTIALS = { key: 'api-key', secret: new Secret('c2VjcmV0LXZhbHVl'), passphrase: new Secret('pass-phrase') };

async function inspect(script: Script) {
  const venue = await startVenue(script);
  const { url } = venue;
  return { venue, inspection: createInspection({ clobUrl: url, siteUrl: url }, log) };
}

/** Asks a venue that gives every request the same answer. */
async function asked<T>(reply: Reply, ask: (inspection: Inspection, call: Call) => Promise<T>): Promise<T> {
  const { inspection } = await inspect(() => reply);
  return ask(inspection, callWithin(2_000));
}

const reads = (inspection: Inspection) => inspection.openReads(WALLET, CREDENTIALS);

describe('the clock', () => {
  it.each([0, 10, -40])(
    'is compared with the middle of the whole second that the venue reports: %s s apart',
    async (seconds) => {
      fakeOnly(['Date', 'performance'], 1_800_000_000_700);
      const { inspection } = await inspect(() => ({ body: String(1_800_000_000 + seconds) }));
      expect(await inspection.readClockSkew(callWithin())).toBe(seconds * 1_000 - 200);
      jest.useRealTimers();
    },
  );
});

describe('the place', () => {
  it.each([
    [
      { blocked: false, country: 'GB', region: 'ENG' },
      { name: 'GB-ENG', isRestricted: true },
    ],
    [
      { blocked: true, country: 'IE', region: 'L' },
      { name: 'IE-L', isRestricted: false },
    ],
    [
      { blocked: true, country: 'JP', region: '13' },
      { name: 'JP-13', isRestricted: false },
    ],
    [
      { blocked: true, country: 'NL' },
      { name: 'NL', isRestricted: false },
    ],
    [
      { country: 'CA', region: 'ON' },
      { name: 'CA-ON', isRestricted: true },
    ],
    [
      { country: 'CA', region: 'NS' },
      { name: 'CA-NS', isRestricted: false },
    ],
    [
      { country: 'UA', region: '43' },
      { name: 'UA-43', isRestricted: true },
    ],
    [
      { country: 'UA', region: '' },
      { name: 'UA', isRestricted: false },
    ],
    [
      { country: 'US', region: 7 },
      { name: 'US', isRestricted: true },
    ],
  ])('is judged by country and region, never by "blocked": %j', async (body, expected) => {
    expect(await asked({ body }, (inspection, call) => inspection.readRegion(call))).toStrictEqual(expected);
  });
});

describe('the API credentials', () => {
  const triple = { apiKey: 'a-key', secret: 'c2VjcmV0LXZhbHVl', passphrase: 'words' };

  it('are derived, and never created', async () => {
    const { venue, inspection } = await inspect(() => ({ body: triple }));
    expect(await inspection.findApiKey(WALLET, callWithin())).toMatchObject({ key: 'a-key' });
    expect(venue.calls()).toStrictEqual(['GET /auth/derive-api-key']);
    expect(venue.seen[0]?.headers).toMatchObject({ poly_address: WALLET.address, poly_nonce: '0' });
  });

  it("are asked for with the official client's headers", async () => {
    const { venue, inspection } = await inspect(() => ({ body: triple }));
    await inspection.findApiKey(WALLET, callWithin());
    const { headers = {} } = venue.seen[0] ?? {};
    const official = await createL1Headers(
      clientSigner(new Wallet(PRIVATE_KEY)),
      137,
      0,
      Number(headers['poly_timestamp']),
    );
    const lowerCase = Object.entries(official).map(([name, value]) => [name.toLowerCase(), value]);
    expect(headers).toMatchObject(Object.fromEntries(lowerCase));
  });

  it('are undefined for a wallet that has none', async () => {
    const { venue, inspection } = await inspect(() => ({ status: 400, body: { error: 'Could not derive api key!' } }));
    expect(await inspection.findApiKey(WALLET, callWithin())).toBeUndefined();
    expect(venue.calls()).toStrictEqual(['GET /auth/derive-api-key']);
  });

  it('are asked for again with the right time if our clock was wrong', async () => {
    const ahead = { date: new Date(Date.now() + 3_600_000).toUTCString() };
    const { venue, inspection } = await inspect((_request, index) =>
      index === 0 ? { status: 401, headers: ahead, body: { error: 'Invalid L1' } } : { headers: ahead, body: triple },
    );
    expect(await inspection.findApiKey(WALLET, callWithin())).toMatchObject({ key: 'a-key' });
    // The one between them asks for the time.
    const [first, , second] = venue.seen.map(({ headers }) => Number(headers['poly_timestamp']));
    expect(Number(second) - Number(first)).toBeGreaterThan(3_590);
  });

  it.each([
    [401, { error: 'Invalid L1 Request headers' }, 'venue_refused_service'],
    [400, '<html>', 'venue_refused_service'],
    [429, { error: 'Too Many Requests' }, 'rate_limited'],
    [500, { error: 'no' }, 'venue_error'],
  ])('are an error if the venue refuses: %s', async (status, body, code) => {
    const headers = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' };
    const find = asked({ status, headers, body }, (inspection, call) => inspection.findApiKey(WALLET, call));
    await expect(find).rejects.toMatchObject({ code });
  });

  it('sign each read of the account, over its path without the query', async () => {
    const { venue, inspection } = await inspect(() => ({ body: { balance: '1500000', allowances: {} } }));
    await reads(inspection).readCollateral('deposit-wallet', callWithin());
    const [request] = venue.seen;
    expect(request?.query.toString()).toBe('asset_type=COLLATERAL&signature_type=3');
    const message = `${request?.headers['poly_timestamp']}GET/balance-allowance`;
    const hmac = createHmac('sha256', Buffer.from('c2VjcmV0LXZhbHVl', 'base64')).update(message).digest('base64');
    expect(request?.headers).toMatchObject({
      poly_address: WALLET.address,
      poly_api_key: 'api-key',
      poly_passphrase: 'pass-phrase',
      poly_signature: hmac.replaceAll('+', '-').replaceAll('/', '_'),
    });
  });

  it('are not replaced if the venue refuses them', async () => {
    const { venue, inspection } = await inspect(() => ({ status: 401, body: { error: 'Invalid API key' } }));
    const refused = reads(inspection).checkCredentials(callWithin());
    await expect(refused).rejects.toMatchObject({ code: 'venue_refused_service', facts: { reason: 'credentials' } });
    expect(venue.calls()).toStrictEqual(['GET /auth/api-keys']);
  });
});

describe('the account', () => {
  it('has its collateral in millionths, and exchanges that may not take any of it', async () => {
    const allowances = {
      '0xAB': '0',
      '0xCD': '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    };
    const noted = await asked({ body: { balance: '1500000', allowances } }, (inspection, call) =>
      reads(inspection).readCollateral('safe', call),
    );
    expect(noted).toStrictEqual({ balance: { coefficient: 15n, scale: 1 }, notAllowed: new Set(['0xab']) });
  });

  it('is undefined if the venue finds none for the credentials', async () => {
    const none = asked({ status: 404, body: { error: 'not found' } }, (inspection, call) =>
      reads(inspection).readCollateral('eoa', call),
    );
    expect(await none).toBeUndefined();
  });

  it.each([{ balance: '-1' }, { balance: 1.5 }, { balance: '1.5' }, {}])(
    'has no collateral in an answer of another form: %j',
    async (body) => {
      const read = asked({ body }, (inspection, call) => reads(inspection).readCollateral('eoa', call));
      await expect(read).rejects.toMatchObject({ code: 'venue_error' });
    },
  );

  it('is refreshed by any 200', async () => {
    const refreshed = asked({ headers: { 'content-type': 'text/plain' }, body: '' }, (inspection, call) =>
      reads(inspection).refreshCollateral('eoa', call),
    );
    await expect(refreshed).resolves.toBeUndefined();
  });
});

describe('the outcomes of a market', () => {
  it.each([
    [
      {
        body: {
          t: [
            { t: '7', o: 'Yes' },
            { t: '8', o: 'No' },
          ],
        },
      },
      new Map([
        ['7', 'Yes'],
        ['8', 'No'],
      ]),
    ],
    [{ status: 404, body: { error: 'market not found' } }, undefined],
  ])('are named by token, or unknown without the market: %j', async (reply, expected) => {
    expect(await asked(reply, (inspection, call) => inspection.readOutcomes('0xc0', call))).toStrictEqual(expected);
  });
});

describe('a builder code', () => {
  it.each([
    [200, true],
    [404, false],
  ])('is known by the status of its fees: %s', async (status, expected) => {
    const reply = { status, body: { builder_maker_fee_rate_bps: 0 } };
    expect(await asked(reply, (inspection, call) => inspection.isBuilderKnown('0xb0', call))).toBe(expected);
  });
});

describe('whatever the venue answers', () => {
  const calls: readonly ((inspection: Inspection, call: Call) => Promise<unknown>)[] = [
    (inspection, call) => inspection.readClockSkew(call),
    (inspection, call) => inspection.readOutcomes('0xc0', call),
    (inspection, call) => inspection.isBuilderKnown('0xb0', call),
    (inspection, call) => inspection.readRegion(call),
    (inspection, call) => inspection.findApiKey(WALLET, call),
    (inspection, call) => reads(inspection).checkCredentials(call),
    (inspection, call) => reads(inspection).readCollateral('proxy', call),
    (inspection, call) => reads(inspection).refreshCollateral('proxy', call),
  ];

  it('each call returns a value or throws an AppError', async () => {
    let reply: Reply = {};
    const { inspection } = await inspect(() => reply);
    const status = fc.constantFrom(200, 400, 401, 403, 404, 429, 500);
    const member = fc.constantFrom('t', 'country', 'apiKeys', 'balance');
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(status, body, fc.nat(calls.length - 1), async (code, text, index) => {
        reply = { status: code, body: text };
        const result = await calls[index]?.(inspection, callWithin(1_000)).catch((error: unknown) => error);
        expect(result instanceof Error && !(result instanceof AppError)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
