import type { ApiCredentials } from '../../../shared/account.ts';
import { Secret } from '../../../shared/secret.ts';
import { createOrderEntry, type OrderEntrySettings } from '../../../shared/venue/polymarket/order-entry.ts';
import type { Fate, LimitOrder, SignedOrder } from '../../../shared/venue/port.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';
import { collectLog } from '../service/collected-log.ts';
import { settled } from '../venue/fake-venue.ts';
import { callWithin, type HttpReply, type Reply, type SeenRequest, startVenue } from '../venue/scripted-venue.ts';
import { bookAnswer, v1TokenId } from '../venue/venue-answers.ts';

/** Invented: never used outside tests. */
export const PRIVATE_KEY = `0x${'3d'.repeat(32)}`;
export const API_SECRET = 'bm9ib2R5IHVzZXMgdGhpcyBzZWNyZXQgYW55d2hlcmUwMTI=';
export const PASSPHRASE = '9d41f0c2aa17';
export const API_KEY = '0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab';
/** The API credentials that the venue has given to the key. */
export const CREDENTIALS: ApiCredentials = {
  key: API_KEY,
  secret: new Secret(API_SECRET),
  passphrase: new Secret(PASSPHRASE),
};
/** The token that orders are for unless a test says otherwise. */
export const TOKEN = v1TokenId(1);

/** Returns a valid order, with changes. */
export function limitOrder(changes: { price?: string; size?: string; side?: 'buy' | 'sell'; tokenId?: string } = {}) {
  const { price = '0.5', size = '10', side = 'buy', tokenId = TOKEN } = changes;
  return { tokenId, side, price, size, postOnly: true, expiresAt: null } satisfies LimitOrder;
}

/** The venue's answers on its paths, where they are not the usual; `index` counts the requests of that path. */
type Answer = (orderId: string, index: number, request: SeenRequest) => Reply;
/** The answers of the venue that a test states, by path. */
export interface Answers {
  readonly post?: Answer;
  readonly order?: Answer;
  readonly trades?: Answer;
  readonly book?: Answer;
  readonly auth?: Answer;
  readonly time?: Answer;
}

/** The answer to the look-up of an order that the venue does not know. */
export const NOT_FOUND: HttpReply = { status: 404, body: { error: 'order not found' } };
/** The answer to a look-up of trades that finds none. */
export const NO_TRADES: Reply = { body: { data: [], next_cursor: 'LTE=' } };

/** A success as the venue words it. */
export function accepted(orderID: string, changes: Readonly<Record<string, unknown>> = {}): HttpReply {
  const body = { success: true, errorMsg: '', orderID, status: 'live', makingAmount: '', takingAmount: '', ...changes };
  return { body };
}

/** An order as a look-up shows it. */
export function lookedUp(id: string, status: string, changes: Readonly<Record<string, unknown>> = {}): HttpReply {
  return { body: { id, status, size_matched: '0', original_size: '10', associate_trades: [], ...changes } };
}

/** Returns the answer to the derivation of an API key. */
export function derivedKey(apiKey: string): HttpReply {
  return { body: { apiKey, secret: API_SECRET, passphrase: PASSPHRASE } };
}

function pathName(path: string): keyof Answers {
  if (path === '/order') return 'post';
  if (path === '/book') return 'book';
  if (path === '/time') return 'time';
  if (path === '/data/trades') return 'trades';
  return path.startsWith('/auth/') ? 'auth' : 'order';
}

const USUAL: Required<Answers> = {
  post: (orderId) => accepted(orderId),
  order: () => NOT_FOUND,
  trades: () => NO_TRADES,
  book: (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? '') }),
  auth: () => derivedKey('f6c1a7a0-1111-4222-8333-444455556666'),
  time: () => ({ body: String(Math.floor(Date.now() / 1_000)) }),
};

/** Counts a request by its path, and returns what writes the answer: the stated one, else the usual one. */
export function answerAsUsual(request: SeenRequest, answers: Answers, counts: Record<string, number>, orderId: string) {
  const name = pathName(request.path);
  const index = counts[name] ?? 0;
  counts[name] = index + 1;
  return () => (answers[name] ?? USUAL[name])(orderId, index, request);
}

/** Returns the settings of an order entry for the account of tests. */
export function accountSettings(clobUrl: string): OrderEntrySettings {
  const wallet = openWallet(new Secret(PRIVATE_KEY));
  const account = { wallet, signatureType: 'eoa', funderAddress: undefined } as const;
  return { clobUrl, ...account, credentials: CREDENTIALS, maxOrderNotional: undefined };
}

/** An order entry before a scripted venue. */
export interface TradingWorld extends Awaited<ReturnType<typeof openWorld>> {}

/** Creates order entry on a scripted venue, which answers as usual unless a test says otherwise. */
export async function openWorld(answers: Answers = {}, settings: Partial<OrderEntrySettings> = {}) {
  const counts = {};
  const state = { orderId: '' };
  const venue = await startVenue((request) => answerAsUsual(request, answers, counts, state.orderId)());
  const { log, lines } = collectLog();
  const entry = createOrderEntry({ ...accountSettings(venue.url), ...settings }, log);
  /** Signs an order, and lets the venue know its id. */
  async function sign(order = limitOrder(), call = callWithin(24_000)): Promise<SignedOrder> {
    const signed = await entry.sign(order, call);
    state.orderId = signed.orderId;
    return signed;
  }
  return { venue, entry, lines, sign };
}

/** Returns the result of an order: a placement, or the code, facts and hint of an error of ours. */
export async function resultOf(sending: Promise<Fate>, orderId: string): Promise<unknown> {
  try {
    return await settled(sending, orderId);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [code, facts, retryAfter] = ['code', 'facts', 'retryAfter'].map((name) => Reflect.get(error, name));
    return { code, facts, ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** Signs and submits one order. */
export async function place(world: TradingWorld, budget = 24_000, order = limitOrder()) {
  const signed = await world.sign(order);
  const call = callWithin(budget);
  return { signed, result: await resultOf(world.entry.submit(signed, call), signed.orderId), call };
}
