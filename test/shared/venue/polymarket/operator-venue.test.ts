import { expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/call.ts';
import { Secret } from '../../../../shared/secret.ts';
import { type OperatorVenue, openOperatorVenue } from '../../../../shared/venue/polymarket/operator-venue.ts';
import { openWallet } from '../../../../shared/wallets/evm-key.ts';
import { callWithin, type Reply, startVenue } from '../../../support/venue/scripted-venue.ts';

const WALLET = openWallet(new Secret(`0x${'5d'.repeat(32)}`));
const CREDENTIALS = { key: 'api-key', secret: new Secret('c2VjcmV0LXZhbHVl'), passphrase: new Secret('pass-phrase') };

type Ask = (venue: OperatorVenue, call: Call, url: string) => Promise<unknown>;

const account = (venue: OperatorVenue) => venue.account(WALLET.address, CREDENTIALS);
const outcomes: Ask = async (venue, call) => (await venue.marketInfo('0xc0', call))?.outcomes;
const region: Ask = (venue, call, url) => venue.region(url, call);
const derived: Ask = (venue, call) => venue.findApiKey(WALLET, call);
const credentials: Ask = (venue, call) => account(venue).checkCredentials(call);
const collateral: Ask = (venue, call) => account(venue).collateral('deposit-wallet', false, call);
const refreshed: Ask = (venue, call) => account(venue).collateral('proxy', true, call);

/** Asks a venue that gives every request the same answer. */
async function asked(reply: Reply, ask: Ask) {
  const { url, seen, calls } = await startVenue(() => reply);
  const venue = openOperatorVenue({ clobUrl: url, gammaUrl: url, proxyEnv: {} });
  const found = await ask(venue, callWithin(2_000), url).catch((error: unknown) => error);
  return { found, seen, calls: calls() };
}

/** The place of `blocked` countries too, since that is a rule of the website. */
function place(country: string, name: string, isRestricted: boolean, part?: string | number) {
  return [region, { body: { blocked: !isRestricted, country, region: part } }, { name, isRestricted }] as const;
}

const MOST = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
const NONE = { status: 404, body: { error: 'not found' } };
const NOTED = { balance: { coefficient: 15n, scale: 1 }, notAllowed: new Set(['0xab']) };
const HTML = { 'content-type': 'text/html' };
const failing = (code: string): unknown => expect.objectContaining({ code });

it.each<readonly [Ask, Reply, unknown]>([
  place('GB', 'GB-ENG', true, 'ENG'),
  place('IE', 'IE-L', false, 'L'),
  place('JP', 'JP-13', false, '13'),
  place('NL', 'NL', false),
  place('CA', 'CA-ON', true, 'ON'),
  place('CA', 'CA-NS', false, 'NS'),
  place('UA', 'UA-43', true, '43'),
  place('UA', 'UA', false, ''),
  place('US', 'US', true, 7),
  [derived, { status: 400, body: { error: 'Could not derive api key!' } }, undefined],
  ...[401, 400].map(
    (status) => [derived, { status, headers: HTML, body: '<html>' }, failing('venue_refused_service')] as const,
  ),
  [derived, { status: 429, body: { error: 'Too Many Requests' } }, failing('rate_limited')],
  [derived, { status: 500, body: { error: 'no' } }, failing('venue_error')],
  [credentials, { status: 401, body: { error: 'no' } }, expect.objectContaining({ facts: { reason: 'credentials' } })],
  [collateral, { body: { balance: '1500000', allowances: { '0xAB': '0', '0xCD': MOST } } }, NOTED],
  [collateral, NONE, undefined],
  ...[{ balance: '-1' }, { balance: 1.5 }, { balance: '1.5' }, {}].map(
    (body) => [collateral, { body }, failing('venue_error')] as const,
  ),
  [outcomes, { body: { t: [{ t: '7', o: 'Yes' }] } }, new Map([['7', 'Yes']])],
  [outcomes, NONE, undefined],
])('sends GET requests: %p of %j', async (ask, reply, expected) => {
  const { found, calls } = await asked(reply, ask);
  expect(found).toStrictEqual(expected);
  expect(calls.filter((call) => !call.startsWith('GET '))).toStrictEqual([]);
  expect(calls.length).toBeGreaterThan(0);
});

it('asks for the balance by the number of the kind of account, with the headers of the credentials', async () => {
  const { seen } = await asked({ body: { balance: '1', allowances: {} } }, collateral);
  expect(seen[0]?.query.toString()).toBe('asset_type=COLLATERAL&signature_type=3');
  expect(seen[0]?.headers).toMatchObject({ poly_address: WALLET.address, poly_api_key: 'api-key' });
});

it('makes the venue read the chain before it asks', async () => {
  const { calls } = await asked({ body: { balance: '1' } }, refreshed);
  expect(calls).toStrictEqual(['GET /balance-allowance/update', 'GET /balance-allowance']);
});
