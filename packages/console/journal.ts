import type { OrderRequest } from '../client/client.ts';
import { isRecord } from './json.ts';

/** Order that the user wanted, once: every attempt to place it has the same key. */
export interface KeptOrder {
  readonly key: string;
  readonly order: OrderRequest;
  /** Question and outcome, as the page showed them. */
  readonly market: string;
  readonly outcome: string;
  /** Cost of the purchase at most, or proceeds of the sale at least; absent where a fee is not known. */
  readonly bound?: string | undefined;
  /** Time at which the user sent it, in epoch milliseconds. */
  readonly wantedAt: number;
  /** `unsent`: not sent yet. `open`: not settled. `left`: not settled, and the user goes on without its answer. */
  readonly state: 'unsent' | 'open' | 'left' | 'placed' | 'refused';
  readonly orderId?: string | undefined;
  /** The status, or the code of the refusal, and the filled shares, as the service answered. */
  readonly answer?: string | undefined;
  readonly filled?: string | undefined;
  /** Address of the wallet that was connected: the key is an order of this client alone. */
  readonly client?: string | undefined;
}

/** The orders of this page on one service and wallet. They outlive the page, its tab and the browser. */
export type Journal = ReturnType<typeof openJournal>;

/** The service keeps a key for 24 hours after its last use: a repeat after that could place a second order. */
const REPEATABLE_MS = 23 * 3_600_000;
/** Settled orders that are kept, of all services: the storage of a page holds some ten thousand. */
const MAX_SETTLED = 300;
const PREFIX = 'order-of-this-page ';
const STATES = ['unsent', 'open', 'left', 'placed', 'refused'];

/** Returns true for an order of unknown fate. */
export function isUnsettled({ state }: KeptOrder): boolean {
  return state === 'open' || state === 'left';
}

/** Returns true for an order that a repeat under its key settles. */
export function isRepeatable(kept: KeptOrder): boolean {
  return isUnsettled(kept) && Date.now() - kept.wantedAt < REPEATABLE_MS;
}

/** Returns false where the browser forbids the page all storage: an order that is not settled would be lost. */
export function canKeep(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}

/** Returns true for an order as this version of the page stores it. */
function isKept(value: unknown): value is KeptOrder {
  if (!isRecord(value) || !isRecord(value['order'])) return false;
  const { key, market, outcome, wantedAt, state, order } = value;
  const texts = [key, market, outcome, order['token_id'], order['price'], order['size']];
  const isKnown = STATES.includes(String(state)) && ['buy', 'sell'].includes(String(order['side']));
  return isKnown && typeof wantedAt === 'number' && texts.every((text) => typeof text === 'string');
}

/** Reads all orders whose names begin so, newest first. */
function readAll(prefix: string) {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  const found = names.flatMap((name) => {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isKept(kept) ? [{ name, kept }] : [];
  });
  return found.toSorted((one, other) => other.kept.wantedAt - one.kept.wantedAt);
}

/** Opens the journal of a service and its wallet; calls `onChange` after each change, of other tabs too. */
export function openJournal(account: string, onChange: () => void) {
  // One entry for each order, so that two tabs never overwrite each other.
  const prefix = `${PREFIX}${account} `;
  if (canKeep()) {
    const settled = readAll(PREFIX).filter(({ kept }) => !isUnsettled(kept));
    for (const { name } of settled.slice(MAX_SETTLED)) localStorage.removeItem(name);
  }
  addEventListener('storage', onChange);
  return {
    /** Lists the orders, newest first. */
    list: () => (canKeep() ? readAll(prefix).map(({ kept }) => kept) : []),
    /** Writes an order over what was known of it. Throws where the browser stores no more. */
    write: (order: KeptOrder) => {
      localStorage.setItem(prefix + order.key, JSON.stringify(order));
      onChange();
    },
  };
}
