import { type Client, OrderBookError, type OrderRequest, type PlacedOrder } from '../client/client.ts';
import { find, make, makeButton, makeFacts } from './dom.ts';
import { isUnsettled, type Remedy, remediesFor } from './remedies.ts';
import type { RequestLog } from './request-log.ts';

/** Order that the user wants, once: every attempt to place it has the same key. */
interface Intent {
  readonly order: OrderRequest;
  readonly key: string;
}

interface PlacementDeps {
  readonly client: Client;
  readonly log: RequestLog;
  /** Throws `OrderBookError` where another service has come to the address. */
  readonly checkService: () => Promise<void>;
  /** Hears why no further order can be sent now, and `undefined` once one can. */
  readonly onBlock: (reason: string | undefined) => void;
  /** Hears that a call has ended. Gives a sentence on what the venue has of the order, where it can be asked. */
  readonly onAnswer: (orderId: string | undefined) => Promise<string | undefined>;
  readonly onRemedy: (change: Remedy['change']) => void;
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const STATUSES: Readonly<Record<string, string>> = {
  live: 'It rests on the book.',
  matched: 'It was executed, wholly or partly.',
  delayed: 'The venue accepted it and holds it for a moment.',
  cancelled: 'The venue accepted it, and it is off the book already.',
};

/** A `null` is not zero: the venue did not tell. */
const told = (amount: string | null): string => amount ?? 'the venue did not tell';

function describePlaced(placed: PlacedOrder, { key }: Intent, log: RequestLog): readonly HTMLElement[] {
  const { sent, replayed } = log.attempts(key);
  const facts = {
    Status: placed.status,
    Filled: `${told(placed.filled_size)} of ${placed.size} shares`,
    Remaining: told(placed.remaining_size),
    'Value of the fills': placed.filled_value === null ? told(null) : `${placed.filled_value} pUSD, before fees`,
    Ends: placed.expires_at ?? 'when it is filled or cancelled',
    'Order id': placed.order_id,
    Trades: placed.trade_ids.join(', ') || 'none yet',
    'Sent with this key': `${sent} ${sent === 1 ? 'time' : 'times'}${replayed > 0 ? '; the answer is a replay' : ''}`,
  };
  const heading = make('h3', {}, `Placed: ${placed.side} ${placed.size} at ${placed.price}`);
  return [heading, make('p', {}, STATUSES[placed.status] ?? ''), makeFacts(facts)];
}

function describeError(error: OrderBookError): readonly HTMLElement[] {
  const { code, status, requestId, retryAfter, facts } = error;
  const venueReason = facts.venue_reason;
  const lines = {
    Code: `${code}${status === undefined ? '' : ` (${status})`}`,
    ...(typeof venueReason === 'string' && { 'The venue says': venueReason }),
    ...(retryAfter !== undefined && { 'Try again in': `${retryAfter} s` }),
    ...(requestId !== undefined && { 'Request id': requestId }),
  };
  const title = isUnsettled(error) ? 'Not settled: the order may be live' : 'Not placed';
  return [make('h3', {}, title), make('p', {}, error.detail), makeFacts(lines)];
}

/** Makes the function that places orders, one at a time, and shows what became of each. */
export function createPlacement(deps: PlacementDeps): (order: OrderRequest) => Promise<void> {
  const { client, log, checkService, onBlock, onAnswer, onRemedy } = deps;
  const result = find('result', HTMLElement);
  const actions = find('result-actions', HTMLElement);

  function show(className: string, content: readonly HTMLElement[], buttons: readonly HTMLElement[] = []): void {
    result.className = className;
    result.replaceChildren(...content);
    actions.replaceChildren(...buttons);
  }

  function showError(error: OrderBookError, intent: Intent): void {
    if (!isUnsettled(error)) {
      onBlock(undefined);
      const remedies = remediesFor(error, intent.order);
      show('refused', describeError(error), remedies.map(({ label, change }) => makeButton(label, () => onRemedy(change))));
      return;
    }
    onBlock('Settle the last order first');
    const advice = 'Repeat it with the same key: that settles it, and never places a second order.';
    const repeat = makeButton('Repeat with the same key', () => void send(intent), { class: 'primary' });
    const giveUp = makeButton('Leave it unsettled', () => {
      actions.replaceChildren();
      onBlock(undefined);
    });
    show('unsettled', [...describeError(error), make('p', {}, advice)], [repeat, giveUp]);
    repeat.focus();
  }

  async function send(intent: Intent): Promise<void> {
    onBlock('Waiting for the answer…');
    show('pending', [make('p', {}, 'The order is on its way. The client repeats it with the same key where that is safe.')]);
    let orderId: string | undefined;
    try {
      await checkService();
      const placed = await client.placeOrder(intent.order, { idempotencyKey: intent.key });
      orderId = placed.order_id;
      onBlock(undefined);
      show('placed', describePlaced(placed, intent, log));
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      orderId = error.facts.order_id;
      showError(error, intent);
    }
    const proof = await onAnswer(orderId);
    if (proof !== undefined) result.append(make('p', { class: 'proof' }, proof));
  }

  return (order) => send({ order, key: newKey() });
}
