import type { OrderRequest } from '../client/client.ts';
import { isRecord, textOf } from './json.ts';

/** Order that the user wanted, once: every attempt to place it has the same key. */
export interface KeptOrder {
  readonly key: string;
  readonly order: OrderRequest;
  /** Question and outcome, as the page showed them. */
  readonly market: string;
  readonly outcome: string;
  /** Time at which the user sent it, in epoch milliseconds. */
  readonly wantedAt: number;
  /** `open`: not settled. `left`: not settled, and the user goes on without its answer. */
  readonly state: 'open' | 'left' | 'placed' | 'refused';
  readonly orderId?: string | undefined;
  /** The status, or the code of the refusal, as the service answered. */
  readonly answer?: string | undefined;
}

/** The orders of this page on one service and wallet. They outlive the page, its tab and the browser. */
export interface Journal {
  /** Lists the orders, newest first. */
  list(): readonly KeptOrder[];
  /** Writes an order over what was known of it. Throws where the browser stores no more. */
  write(order: KeptOrder): void;
}

/** The service keeps a key for 24 hours after its last use: a repeat after that could place a second order. */
const REPEATABLE_MS = 23 * 3_600_000;
/** Settled orders that are kept, of all services: the storage of a page holds some ten thousand. */
const MAX_SETTLED = 300;
const PREFIX = 'order-of-this-page ';

/** Returns true for an order that may be live or not, as far as this page knows. */
export function isUnsettled({ state }: KeptOrder): boolean {
  return state === 'open' || state === 'left';
}

export function isRepeatable({ wantedAt }: KeptOrder): boolean {
  return Date.now() - wantedAt < REPEATABLE_MS;
}

/** Returns false where the browser forbids the page all storage: an order that is not settled would be lost. */
export function canKeep(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}

/** Reads a stored order; `undefined` for what another version of this page wrote. */
function read(text: string | null): KeptOrder | undefined {
  const kept: unknown = JSON.parse(text ?? 'null');
  if (!isRecord(kept) || !isRecord(kept['order'])) return undefined;
  const { order, wantedAt, state } = kept;
  const [key, market, outcome] = ['key', 'market', 'outcome'].map((name) => textOf(kept, name));
  const [token_id, side, price, size] = ['token_id', 'side', 'price', 'size'].map((name) => textOf(order, name));
  const expires_at = textOf(order, 'expires_at');
  if (!key || typeof wantedAt !== 'number' || !token_id || !price || !size) return undefined;
  if (side !== 'buy' && side !== 'sell') return undefined;
  if (state !== 'open' && state !== 'left' && state !== 'placed' && state !== 'refused') return undefined;
  const rest = { post_only: order['post_only'] === true, ...(expires_at !== undefined && { expires_at }) };
  return {
    ...{ key, wantedAt, state, market: market ?? '', outcome: outcome ?? '' },
    order: { token_id, side, price, size, ...rest },
    ...{ orderId: textOf(kept, 'orderId'), answer: textOf(kept, 'answer') },
  };
}

/** Reads all orders whose names begin so, newest first. */
function readAll(prefix: string) {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  const found = names.flatMap((name) => {
    const kept = read(localStorage.getItem(name));
    return kept ? [{ name, kept }] : [];
  });
  return found.toSorted((one, other) => other.kept.wantedAt - one.kept.wantedAt);
}

/** Opens the journal of a service and its wallet; calls `onChange` after each change, of other tabs too. */
export function openJournal(account: string, onChange: () => void): Journal {
  // One entry for each order: two tabs never write over each other's.
  const prefix = `${PREFIX}${account} `;
  if (canKeep()) {
    const settled = readAll(PREFIX).filter(({ kept }) => !isUnsettled(kept));
    for (const { name } of settled.slice(MAX_SETTLED)) localStorage.removeItem(name);
  }
  addEventListener('storage', onChange);
  return {
    list: () => (canKeep() ? readAll(prefix).map(({ kept }) => kept) : []),
    write: (order) => {
      localStorage.setItem(prefix + order.key, JSON.stringify(order));
      onChange();
    },
  };
}
