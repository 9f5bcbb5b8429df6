import { createHmac } from 'node:crypto';
import { afterAll } from '@jest/globals';
import {
  type ApiKeyCreds,
  OrderBuilder,
  OrderType,
  orderToJsonV2,
  Side,
  type TickSize,
} from '@polymarket/clob-client-v2';
import { TypedDataEncoder, type Wallet } from 'ethers';
import { z } from 'zod';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { createPaperVenue, type PaperVenue } from '../../../packages/paper-venue/venue.ts';
import { SIGNATURE_TYPES } from '../../../shared/account.ts';
import { clientSigner, WALLET } from '../../../tools/support/paper-client.ts';
import { afterTests } from '../jest.ts';
import { funderOf, ORDER_TYPE } from './signing.ts';

/** A paper venue that listens, and how to ask it. */
export interface RunningPaper {
  readonly venue: PaperVenue;
  readonly url: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** An answer of the paper venue, with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

const ofTest: PaperVenue[] = [];
const ofFile: PaperVenue[] = [];
const closeAll = (venues: PaperVenue[]) => Promise.all(venues.splice(0).map((venue) => venue.close()));

afterTests(() => closeAll(ofTest));
afterAll(() => closeAll(ofFile));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Starts a paper venue on a free port; it is closed after the test. */
export async function startPaper(options: PaperVenueOptions = {}, closed = ofTest): Promise<RunningPaper> {
  const venue = createPaperVenue({ still: true, ...options });
  closed.push(venue);
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = body === undefined ? { method, headers } : { method, headers, body: text };
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    return { status: response.status, body: parsed(await response.text()), headers: response.headers };
  };
  return { venue, url, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

/** Starts a paper venue for all tests of a file. */
export const sharedPaper = (options: PaperVenueOptions = {}) => startPaper(options, ofFile);

/** Closes a venue before the end of its test, for restarts. */
export async function stopPaper({ venue }: RunningPaper): Promise<void> {
  ofTest.splice(ofTest.indexOf(venue), 1);
  await venue.close();
}

/** A market as Gamma lists it, with its tokens in one form: ids are read by version. */
const listed = z
  .object({
    id: z.string(),
    slug: z.string(),
    version: z.enum(['v1', 'v2']),
    negRisk: z.boolean(),
    conditionId: z.string(),
    clobTokenIds: z.string().nullable(),
    positionIds: z.array(z.string()).optional(),
    orderPriceMinTickSize: z.number(),
    acceptingOrders: z.boolean(),
    enableOrderBook: z.boolean(),
  })
  .transform((market) => {
    const { version, positionIds, clobTokenIds } = market;
    const ids = version === 'v2' ? positionIds : z.array(z.string()).parse(JSON.parse(clobTokenIds ?? '[]'));
    return { ...market, yes: ids?.[0] ?? '', no: ids?.[1] ?? '' };
  });

/** A listed market. */
export type ListedMarket = z.output<typeof listed>;

/** All open markets. */
export async function listMarkets(paper: RunningPaper, query = ''): Promise<readonly ListedMarket[]> {
  const { body } = await paper.get(`/markets/keyset?limit=100${query}`);
  return z.object({ markets: z.array(listed) }).parse(body).markets;
}

/** The first tradable market that fits. */
export async function findMarket(paper: RunningPaper, fits: (market: ListedMarket) => boolean): Promise<ListedMarket> {
  const found = (await listMarkets(paper)).find(
    (market) => market.acceptingOrders && market.enableOrderBook && fits(market),
  );
  if (!found) throw new Error('no such market');
  return found;
}

/** A market whose best prices are 0.51 and 0.53 at tick 0.01. */
export function plainMarket(paper: RunningPaper): Promise<ListedMarket> {
  return findMarket(paper, ({ slug }) => slug === 'will-the-copper-lake-ferry-run-on-founders-day');
}

/** An exchange contract, which is a part of the signing domain of an order. */
export type Domain = 'plain' | 'negRisk' | 'protocolV2';

/** An order as a test states it; amounts win over price and size, so that any amounts can be signed. */
export interface OrderRequest {
  readonly tokenId: string;
  readonly side?: 'BUY' | 'SELL';
  readonly price?: number;
  readonly size?: number;
  readonly makerAmount?: string;
  readonly takerAmount?: string;
  readonly domain?: Domain;
  readonly kind?: 0 | 1 | 2 | 3;
  readonly wallet?: Wallet;
  readonly expiration?: string;
  readonly maker?: string;
  /** Of an order by the official client alone. */
  readonly tickSize?: TickSize;
  readonly builderCode?: string;
}

const ZERO = `0x${'00'.repeat(32)}`;
const CONTRACTS: Readonly<Record<Domain, readonly [version: string, contract: string]>> = {
  plain: ['2', '0xE111180000d2663C0091e4f400237545B87B996B'],
  negRisk: ['2', '0xe2222d279d744050d28e00520010520000310F59'],
  protocolV2: ['3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'],
};
let salt = 1_000;

function domainOf(domain: Domain) {
  const [version, verifyingContract] = CONTRACTS[domain];
  return { name: 'Polymarket CTF Exchange', version, chainId: 137, verifyingContract };
}

function millionths(amount: number): string {
  return String(Math.round(amount * 1e6));
}

function amounts({ side = 'BUY', price = 0.4, size = 10, ...given }: OrderRequest) {
  const [collateral, shares] = [millionths(price * size), millionths(size)];
  const [makerAmount, takerAmount] = side === 'BUY' ? [collateral, shares] : [shares, collateral];
  return { makerAmount: given.makerAmount ?? makerAmount, takerAmount: given.takerAmount ?? takerAmount };
}

/** The members of an order that are hashed. */
interface OrderStruct extends Readonly<Record<string, unknown>> {
  readonly side: 0 | 1;
}

/** The id of an order: its EIP-712 hash, by the generic encoder of ethers. */
export function orderIdOf(domain: Domain, struct: OrderStruct): string {
  return TypedDataEncoder.hash(domainOf(domain), { Order: ORDER_TYPE }, struct);
}

/** An order signed with plain ECDSA by the wallet (kinds 0 to 2), each with a new salt; and its id. */
export async function signOrder(request: OrderRequest) {
  const { domain = 'plain', kind = 0, wallet = WALLET, side = 'BUY', expiration = '0' } = request;
  salt += 1;
  const struct = {
    salt,
    maker: request.maker ?? funderOf(wallet.address, SIGNATURE_TYPES[kind]),
    signer: wallet.address,
    tokenId: request.tokenId,
    ...amounts(request),
    side: side === 'BUY' ? 0 : 1,
    signatureType: kind,
    timestamp: '1795000000000',
    metadata: ZERO,
    builder: ZERO,
  } as const;
  const signature = await wallet.signTypedData(domainOf(domain), { Order: ORDER_TYPE }, struct);
  return { id: orderIdOf(domain, struct), order: { ...struct, side, expiration, signature } };
}

/** The same order as the official client builds and signs it, for every kind of account. */
export async function officialOrder(request: OrderRequest) {
  const { tokenId, domain = 'plain', kind = 0, wallet = WALLET, tickSize = '0.01', builderCode, ...order } = request;
  const maker = request.maker ?? funderOf(wallet.address, SIGNATURE_TYPES[kind]);
  const builder = new OrderBuilder(clientSigner(wallet), 137, kind, maker);
  const terms = {
    tokenID: tokenId,
    price: order.price ?? 0.4,
    size: order.size ?? 10,
    side: order.side === 'SELL' ? Side.SELL : Side.BUY,
    ...(order.expiration !== undefined && { expiration: Number(order.expiration) }),
    ...(builderCode !== undefined && { builderCode }),
  };
  const version = domain === 'protocolV2' ? 3 : 2;
  const signed = await builder.buildOrder(terms, { tickSize, negRisk: domain === 'negRisk' }, version);
  if ('nonce' in signed) throw new Error('the client signed an order of the first CLOB');
  return orderToJsonV2(signed, '', OrderType.GTC).order;
}

/** A request that is signed with API credentials; `at`: its time, by default now. */
interface SignedCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly at?: number | undefined;
}

/** L2 headers made here, so that a test can break one of them. */
export function l2Headers(creds: ApiKeyCreds, { method, path, body = '', at = Date.now() }: SignedCall) {
  const timestamp = String(Math.floor(at / 1_000));
  const message = timestamp + method + path + (typeof body === 'string' ? body : JSON.stringify(body));
  const signature = createHmac('sha256', Buffer.from(creds.secret, 'base64url')).update(message).digest('base64');
  return {
    POLY_ADDRESS: WALLET.address,
    POLY_API_KEY: creds.key,
    POLY_PASSPHRASE: creds.passphrase,
    POLY_TIMESTAMP: timestamp,
    POLY_SIGNATURE: signature.replaceAll('+', '-').replaceAll('/', '_'),
  };
}

/** Sends any body as a signed L2 request. */
export function signedRequest(paper: RunningPaper, creds: ApiKeyCreds, call: SignedCall): Promise<Answer> {
  return paper.send(call.method, call.path, call.body, l2Headers(creds, call));
}

/** Posts a signed order; `members` go beside it, such as an `orderType` other than GTC. */
export function postOrder(
  paper: RunningPaper,
  creds: ApiKeyCreds,
  order: unknown,
  { at, ...members }: Readonly<Record<string, unknown>> & Pick<SignedCall, 'at'> = {},
): Promise<Answer> {
  const body = { order, owner: creds.key, orderType: 'GTC', ...members };
  return signedRequest(paper, creds, { method: 'POST', path: '/order', body, at });
}
