import {
  type Client,
  newIdempotencyKey,
  OrderBookError,
  type OrderRequest,
  type PlacedOrder,
} from '../client/client.ts';
import { counted, make, makeButton, makeFacts } from './dom.ts';
import { formatMoney, formatPrice, formatShares } from './figures.ts';
import { isRecord, textOf } from './json.ts';
import type { RequestLog } from './request-log.ts';
import type { Outcome, Toast } from './toast.ts';

/** Order that the user wants, once: every attempt to place it has the same key. */
interface Intent {
  readonly order: OrderRequest;
  readonly key: string;
  /** Time at which the user sent it, in epoch milliseconds. */
  readonly wantedAt: number;
  /** Set once an attempt has left open what became of the order. */
  readonly mayBeLive: boolean;
}

interface PlacementDeps {
  readonly client: Client;
  readonly log: RequestLog;
  readonly toast: Toast;
  /** Service and wallet that the page was opened on. */
  readonly account: string;
  /** Prepares for an order. Throws `OrderBookError` if another service now answers at the address. */
  readonly prepare: () => Promise<void>;
  /** Called with the reason why no further order can be sent now, and with `undefined` once one can. */
  readonly onBlock: (reason: string | undefined) => void;
  /** Called when a call has ended. Returns a sentence on the order at the venue, if the venue can be asked. */
  readonly onAnswer: (orderId: string | undefined) => Promise<string | undefined>;
}

/** The service keeps a key for 24 hours after its last use: a repeat after that could place a second order. */
const REPEATABLE_MS = 23 * 3_600_000;

function isRepeatable({ wantedAt }: Intent): boolean {
  return Date.now() - wantedAt < REPEATABLE_MS;
}

/** Names the slot of an account's unsettled order in the session storage: it outlives a reload, and ends with its tab. */
function slotOf(account: string): string {
  return `unsettled-order ${account}`;
}

/** Returns false where the browser forbids the page all storage: an order that is not settled would be lost by a reload. */
function canKeep(): boolean {
  try {
    return sessionStorage !== null;
  } catch {
    return false;
  }
}

function keep(account: string, { order, key, wantedAt }: Intent): void {
  sessionStorage.setItem(slotOf(account), JSON.stringify({ order, key, wantedAt }));
}

function forget(account: string): void {
  sessionStorage.removeItem(slotOf(account));
}

/** Reads the order that was left unsettled on the same account before the page was loaded again. */
function findKept(account: string): Intent | undefined {
  const kept: unknown = JSON.parse(sessionStorage.getItem(slotOf(account)) ?? 'null');
  if (!isRecord(kept) || !isRecord(kept['order'])) return undefined;
  const { order, wantedAt } = kept;
  const key = textOf(kept, 'key');
  const [token_id, side, price, size] = ['token_id', 'side', 'price', 'size'].map((name) => textOf(order, name));
  const expires_at = textOf(order, 'expires_at');
  // Another version of this page may have written something else.
  if (!key || typeof wantedAt !== 'number' || !token_id || !price || !size) return undefined;
  if (side !== 'buy' && side !== 'sell') return undefined;
  const post_only = kept['order']['post_only'] === true;
  const rest = { post_only, ...(expires_at !== undefined && { expires_at }) };
  return { order: { token_id, side, price, size, ...rest }, key, wantedAt, mayBeLive: true };
}

const STATUSES: Readonly<Record<string, string>> = {
  live: 'It rests on the book.',
  matched: 'It was executed, wholly or partly.',
  delayed: 'The venue accepted it and holds it for a moment.',
  cancelled: 'The venue accepted it, and it is off the book already.',
};

/** A `null` is not zero: the venue did not report it. */
function reported(amount: string | null, format: (amount: string) => string): string {
  return amount === null ? 'not reported by the venue' : format(amount);
}

function describe({ side, size, price }: Pick<OrderRequest, 'side' | 'size' | 'price'>): string {
  return `${side} ${formatShares(String(size))} at ${formatPrice(String(price))}`;
}

function describePlaced(placed: PlacedOrder, { key }: Intent, log: RequestLog): Outcome {
  const { sent, replayed } = log.attempts(key);
  const facts = {
    Status: placed.status,
    Filled: `${reported(placed.filled_size, formatShares)} of ${formatShares(placed.size)}`,
    Value: reported(placed.filled_value, (value) => `${formatMoney(value)}, before fees`),
  };
  const folded = {
    Remaining: reported(placed.remaining_size, formatShares),
    Ends: placed.expires_at ?? 'when it is filled or cancelled',
    'Order id': placed.order_id,
    Trades: placed.trade_ids.join(', ') || 'none yet',
    'Sent with this key': `${counted(sent, 'time')}${replayed > 0 ? '; the answer is a replay' : ''}`,
  };
  const heading = make('h3', {}, `Placed: ${describe(placed)}`);
  const content = [heading, make('p', {}, STATUSES[placed.status] ?? ''), makeFacts(facts)];
  return { kind: 'placed', content, details: { facts: folded, json: placed } };
}

function describeError(error: OrderBookError): Pick<Outcome, 'content'> & Required<Pick<Outcome, 'details'>> {
  const { code, status, requestId, retryAfter, facts } = error;
  const venueReason = facts.venue_reason;
  const lines = {
    ...(typeof venueReason === 'string' && { 'The venue says': venueReason }),
    ...(retryAfter !== undefined && { 'Try again in': `${retryAfter} s` }),
  };
  const folded = { Code: `${code}${status === undefined ? '' : ` (${status})`}` };
  const json = { code, status, detail: error.detail, request_id: requestId, ...facts };
  return { content: [make('p', {}, error.detail), makeFacts(lines)], details: { facts: folded, json } };
}

/** Creates the function that places orders, one at a time, and shows the outcome of each. */
export function createPlacement(deps: PlacementDeps): (order: OrderRequest) => Promise<void> {
  const { client, log, account, prepare, onBlock, onAnswer, toast } = deps;

  function showUnsettled(intent: Intent, { content, details }: Pick<Outcome, 'content' | 'details'>): void {
    onBlock('Settle the last order first');
    const heading = make('h3', {}, `Not settled: ${describe(intent.order)} may be live`);
    const advice = isRepeatable(intent)
      ? 'Repeat it with the same key: that settles it, and never places a second order.'
      : 'It is too old to be repeated: the service may have forgotten its key. Look for the order at the venue.';
    const repeat = makeButton('Repeat with the same key', () => {
      if (isRepeatable(intent)) void send({ ...intent, mayBeLive: true });
      else showUnsettled(intent, { content: [] });
    });
    repeat.className = 'primary';
    const leave = makeButton('Leave it unsettled', () => {
      forget(account);
      toast.dismiss();
      onBlock(undefined);
    });
    const buttons = isRepeatable(intent) ? [repeat, leave] : [leave];
    const all = [heading, ...content, make('p', {}, advice)];
    toast.show({ kind: 'unsettled', content: all, buttons, ...(details && { details }) });
    buttons[0]?.focus();
  }

  function showError(error: OrderBookError, intent: Intent): void {
    const { content, details } = describeError(error);
    if (intent.mayBeLive) {
      showUnsettled(intent, { content, details });
      return;
    }
    forget(account);
    onBlock(undefined);
    toast.show({ kind: 'refused', content: [make('h3', {}, 'Not placed'), ...content], details });
  }

  async function send(intent: Intent): Promise<void> {
    onBlock('Waiting for the answer…');
    const waiting = 'The order is on its way. The client repeats it by itself where that may help.';
    toast.show({ kind: 'pending', content: [make('p', {}, waiting)] });
    keep(account, intent);
    let orderId: string | undefined;
    let isReady = false;
    try {
      await prepare();
      isReady = true;
      const { order, key, mayBeLive } = intent;
      const placed = await client.placeOrder(order, { idempotencyKey: key, mayBeLive });
      orderId = placed.order_id;
      forget(account);
      onBlock(undefined);
      toast.show(describePlaced(placed, intent, log));
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      orderId = error.facts.order_id;
      // Without readiness nothing was sent, and the error is not about the order.
      showError(error, isReady ? { ...intent, mayBeLive: error.mayBeLive } : intent);
    }
    const shown = toast.shown();
    const proof = await onAnswer(orderId);
    // Another order may have been sent meanwhile, and the sentence is not about that one.
    if (proof !== undefined && toast.shown() === shown) toast.append(proof);
  }

  if (!canKeep()) onBlock('To place orders, allow this page to store data');
  const left = canKeep() ? findKept(account) : undefined;
  if (left) showUnsettled(left, { content: [make('p', {}, 'The page was loaded again before its answer came.')] });
  return (order) => send({ order, key: newIdempotencyKey(), wantedAt: Date.now(), mayBeLive: false });
}
