import {
  type Client,
  newIdempotencyKey,
  OrderBookError,
  type OrderRequest,
  type PlacedOrder,
} from '../client/client.ts';
import { type Answer, createAnswer, type Details, type Outcome } from './answer.ts';
import { curlOf } from './curl.ts';
import { make, makeButton, makeFacts } from './dom.ts';
import { describeOrder, formatMoney, formatShares } from './figures.ts';
import { canKeep, isRepeatable, type Journal, type KeptOrder } from './journal.ts';

interface PlacementDeps {
  readonly client: Client;
  readonly serviceUrl: string;
  readonly journal: Journal;
  /** Prepares for an order. Throws `OrderBookError` if another service now answers at the address. */
  readonly prepare: () => Promise<void>;
  /** Called with the reason why no further order can be sent now, and with `undefined` once one can. */
  readonly onBlock: (reason: string | undefined) => void;
  /** Called when a call has ended. Returns a sentence on the order at the venue, if the venue can be asked. */
  readonly onAnswer: (orderId: string | undefined) => Promise<string | undefined>;
}

/** Places orders, one at a time, and shows the outcome of each. */
export interface Placement {
  place(order: OrderRequest, names: Pick<KeptOrder, 'market' | 'outcome'>): Promise<void>;
  /** Sends an order again under its key, unless another one is on its way. */
  repeat(kept: KeptOrder): void;
}

const STATUSES: Readonly<Record<string, string>> = {
  live: 'It rests on the book.',
  matched: 'It was executed, wholly or partly.',
  delayed: 'The venue accepted it and holds it for a moment.',
  cancelled: 'The venue accepted it, and it is off the book already.',
};

/** Refusals in words for a trader, where those of the service are for its operator. */
const REFUSALS: Readonly<Record<string, Readonly<Record<OrderRequest['side'], string>>>> = {
  insufficient_balance: {
    buy: 'The wallet has too little free pUSD for it.',
    sell: 'The wallet has too few free shares for it. Shares bought a moment ago can be sold once their trade is settled.',
  },
  post_only_would_cross: {
    buy: 'It is post-only, and would have matched an ask at once. Bid less, or leave post-only out.',
    sell: 'It is post-only, and would have matched a bid at once. Ask for more, or leave post-only out.',
  },
};

/** A `null` is not zero: the venue did not report it. */
function reported(amount: string | null, format: (amount: string) => string): string {
  return amount === null ? 'not reported by the venue' : format(amount);
}

/** Names an order and its market: the page may show another one by now. */
function headingOf({ order, outcome, market }: KeptOrder, say: (terms: string) => string): readonly HTMLElement[] {
  return [make('h3', {}, say(describeOrder({ ...order, outcome }))), make('p', { class: 'hint' }, market)];
}

/** Returns the command that sends an order again, under its key. */
export function curlOfOrder(serviceUrl: string, { key, order }: KeptOrder): string {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  return curlOf(`${serviceUrl.replace(/\/+$/, '')}/v1/orders`, headers, JSON.stringify(order));
}

export function createPlacement(deps: PlacementDeps): Placement {
  const { client, serviceUrl, journal, prepare, onBlock, onAnswer } = deps;
  const answer: Answer = createAnswer();
  let isSending = false;

  function detailsOf(kept: KeptOrder, facts: Details['facts'], json?: object): Details {
    const all = { ...facts, 'Idempotency key': kept.key };
    return { facts: all, curl: curlOfOrder(serviceUrl, kept), ...(json && { json }) };
  }

  function describePlaced(placed: PlacedOrder, kept: KeptOrder): Outcome {
    const facts = {
      Filled: `${reported(placed.filled_size, formatShares)} of ${formatShares(placed.size)}`,
      Value: reported(placed.filled_value, (value) => `${formatMoney(value)}, before fees`),
    };
    const folded = { Status: placed.status, 'Order id': placed.order_id };
    const heading = headingOf(kept, (terms) => `Placed: ${terms}`);
    const content = [...heading, make('p', {}, STATUSES[placed.status] ?? ''), makeFacts(facts)];
    return { kind: 'placed', content, details: detailsOf(kept, folded, placed) };
  }

  function describeError(error: OrderBookError, kept: KeptOrder) {
    const { code, status, requestId, retryAfter, facts, detail } = error;
    const { venue_reason: venueReason } = facts;
    const lines = {
      ...(typeof venueReason === 'string' && { 'The venue says': venueReason }),
      ...(retryAfter !== undefined && { 'Try again in': `${retryAfter} s` }),
    };
    const folded = { Code: `${code}${status === undefined ? '' : ` (${status})`}`, Detail: detail };
    const json = { code, status, detail, request_id: requestId, ...facts };
    return { lines: makeFacts(lines), details: detailsOf(kept, folded, json) };
  }

  function showUnsettled(kept: KeptOrder, lines: readonly HTMLElement[] = [], details = detailsOf(kept, {})): void {
    onBlock('Settle the last order first');
    const heading = headingOf(kept, (terms) => `Not settled: ${terms} may be live`);
    const advice = isRepeatable(kept)
      ? 'Repeat it with the same key: that settles it, and never places a second order.'
      : 'It is too old to be repeated: the service may have forgotten its key. Look for the order at the venue.';
    const again = makeButton('Repeat with the same key', () => repeat(kept), { class: 'primary' });
    const leave = makeButton('Leave it unsettled', () => {
      answer.clear();
      note({ ...kept, state: 'left' });
      onBlock(undefined);
    });
    const buttons = isRepeatable(kept) ? [again, leave] : [leave];
    answer.show({ kind: 'unsettled', content: [...heading, make('p', {}, advice), ...lines], buttons, details });
  }

  function showError(error: OrderBookError, kept: KeptOrder): void {
    const { lines, details } = describeError(error, kept);
    if (kept.state === 'open') {
      showUnsettled(kept, [lines], details);
      return;
    }
    onBlock(undefined);
    const why = REFUSALS[error.code]?.[kept.order.side] ?? error.detail;
    const content = [...headingOf(kept, (terms) => `Not placed: ${terms}`), make('p', {}, why), lines];
    answer.show({ kind: 'refused', content, details });
  }

  /** Notes what became of an order. Where the browser stores no more it stays open, and a repeat settles it. */
  function note(kept: KeptOrder): void {
    try {
      journal.write(kept);
    } catch {
      answer.append('This browser stores no more for this page: the list has an older state of this order.');
    }
  }

  /** Sends an order; the returned one is as the journal has it then. */
  async function attempt(kept: KeptOrder, mayBeLive: boolean): Promise<KeptOrder> {
    let isReady = false;
    try {
      await prepare();
      isReady = true;
      const placed = await client.placeOrder(kept.order, { idempotencyKey: kept.key, mayBeLive });
      const settled: KeptOrder = { ...kept, state: 'placed', orderId: placed.order_id, answer: placed.status };
      onBlock(undefined);
      answer.show(describePlaced(placed, settled));
      note(settled);
      return settled;
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      // Without readiness nothing was sent, and the error is not about the order.
      const isOpen = isReady ? error.mayBeLive : mayBeLive;
      const { order_id: orderId = kept.orderId } = error.facts;
      const next: KeptOrder = { ...kept, state: isOpen ? 'open' : 'refused', orderId, answer: error.code };
      showError(error, next);
      note(next);
      return next;
    }
  }

  async function send(kept: KeptOrder, mayBeLive: boolean): Promise<void> {
    try {
      journal.write(kept);
    } catch {
      const content = [make('h3', {}, 'Not sent'), make('p', {}, 'This browser stores no more for this page.')];
      answer.show({ kind: 'refused', content });
      return;
    }
    isSending = true;
    onBlock('Waiting for the answer…');
    const waiting = 'The order is on its way. The client repeats it by itself where that may help.';
    answer.show({ kind: 'pending', content: [make('p', {}, waiting)] });
    const { orderId } = await attempt(kept, mayBeLive).finally(() => {
      isSending = false;
    });
    const shown = answer.shown();
    const proof = await onAnswer(orderId);
    // Another order may have been sent meanwhile, and the sentence is not about that one.
    if (proof !== undefined && answer.shown() === shown) answer.append(proof);
  }

  function repeat(kept: KeptOrder): void {
    if (!isRepeatable(kept)) showUnsettled(kept);
    else if (!isSending) void send({ ...kept, state: 'open' }, true);
  }

  if (!canKeep()) onBlock('To place orders, allow this page to store data');
  const isOpen = () => journal.list().find(({ state }) => state === 'open');
  const open = isOpen();
  if (open) showUnsettled(open, [make('p', {}, 'No answer to it has come yet.')]);
  // Another tab may have settled or left it.
  addEventListener('storage', () => {
    if (answer.shown()?.kind !== 'unsettled' || isOpen()) return;
    answer.clear();
    onBlock(undefined);
  });
  addEventListener('beforeunload', (event) => {
    if (isOpen()) event.preventDefault();
  });
  return {
    place: (order, names) =>
      send({ key: newIdempotencyKey(), order, ...names, wantedAt: Date.now(), state: 'open' }, false),
    repeat,
  };
}
