import { newIdempotencyKey, OrderBookError, type OrderRequest, type PlacedOrder } from '../client/client.ts';
import { createAnswer, makeDetails, type Outcome } from './answer.ts';
import { make, makeButton, makeFacts } from './dom.ts';
import { describeOrder, formatMoney } from './figures.ts';
import type { OwnOrder } from './holdings.ts';
import { canKeep, isRepeatable, type Journal, type KeptOrder } from './journal.ts';
import { WalletError } from './wallets.ts';
import { adviceOn, standingOf } from './words.ts';

interface PlacementDeps {
  readonly journal: Journal;
  /** Prepares for an order. Throws `OrderBookError` if another service now answers, or another wallet is connected. */
  readonly prepare: (kept: KeptOrder) => Promise<void>;
  /** Sends an order, which a wallet may have to sign first. Throws `OrderBookError`. */
  readonly send: (kept: KeptOrder, mayBeLive: boolean, signal: AbortSignal) => Promise<PlacedOrder>;
  readonly clientAddress: () => string | undefined;
  /** Called with the reason why no further order can be sent now, and with `undefined` once one can. */
  readonly onBlock: (reason: string | undefined) => void;
  readonly onAnswer: () => void;
}

/** Names an order and its market: the page may show another one by now. */
function headingOf({ order, outcome, market }: KeptOrder, say: (terms: string) => string): readonly HTMLElement[] {
  return [make('h3', {}, say(describeOrder({ ...order, outcome }))), make('p', { class: 'hint' }, market)];
}

/** Describes an order as the service has answered, or as the venue has it now. */
function describePlaced(placed: PlacedOrder, kept: KeptOrder, now?: OwnOrder): readonly HTMLElement[] {
  const { status, size, filled_size: answered } = placed;
  const [filled, value] = now ? [now.filled, now.value] : [answered, answered === '0' ? '0' : placed.filled_value];
  const facts = {
    Status: standingOf(now?.status ?? status, size, filled),
    Value: value === null ? 'not reported by the venue' : `${formatMoney(value)}, before fees`,
  };
  return [...headingOf(kept, (terms) => `Placed: ${terms}`), makeFacts(facts)];
}

/** Places orders, one at a time, and shows the outcome of each. */
export function createPlacement(deps: PlacementDeps) {
  const { journal, prepare, onBlock, onAnswer } = deps;
  const answer = createAnswer();
  let isSending = false;
  /** The order whose outcome is shown, as the service answered. */
  let latest: { readonly outcome: Outcome; readonly kept: KeptOrder; readonly placed: PlacedOrder } | undefined;

  const detailsOf = (kept: KeptOrder, json?: object) =>
    makeDetails('Details', `Idempotency key: ${kept.key}`, json && JSON.stringify(json, null, 2));

  function showPlaced(placed: PlacedOrder, kept: KeptOrder): void {
    const details = detailsOf(kept, placed);
    const outcome: Outcome = { kind: 'placed', content: describePlaced(placed, kept), details };
    latest = { outcome, kept, placed };
    onBlock(undefined);
    answer.show(outcome);
  }

  function showUnsettled(kept: KeptOrder, lines: readonly HTMLElement[] = [], details = detailsOf(kept)): void {
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

  function showError({ code, status, requestId, facts, detail, cause }: OrderBookError, kept: KeptOrder) {
    const { venue_reason: venueReason } = facts;
    const lines = makeFacts(typeof venueReason === 'string' ? { 'The venue says': venueReason } : {});
    const details = detailsOf(kept, { code, status, detail, request_id: requestId, ...facts });
    if (kept.state === 'open') return showUnsettled(kept, [make('p', { class: 'hint' }, detail), lines], details);
    onBlock(undefined);
    // The error of a wallet already says what happened.
    const why = cause instanceof WalletError ? cause.message : (adviceOn(code, kept.order.side) ?? detail);
    const content = [...headingOf(kept, (terms) => `Not placed: ${terms}`), make('p', {}, why), lines];
    answer.show({ kind: 'refused', content, details });
  }

  /** Notes what became of an order; returns false where the browser stores no more, so that the list has its state before. */
  function note(kept: KeptOrder): boolean {
    try {
      journal.write(kept);
      return true;
    } catch {
      return false;
    }
  }

  /** Sends an order, shows what became of it, and notes it. */
  async function attempt(kept: KeptOrder, mayBeLive: boolean, signal: AbortSignal): Promise<void> {
    let [isReady, next] = [false, kept];
    try {
      await prepare(kept);
      isReady = true;
      const placed = await deps.send(kept, mayBeLive, signal);
      const { order_id: orderId, status: answered, filled_size: filled } = placed;
      next = { ...kept, state: 'placed', orderId, answer: answered, filled: filled ?? undefined };
      showPlaced(placed, next);
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      // The page was not ready and sent nothing; the error is not about the order.
      const isOpen = isReady ? error.mayBeLive : mayBeLive;
      const { order_id: orderId = kept.orderId } = error.facts;
      next = { ...kept, state: isOpen ? 'open' : 'refused', orderId, answer: error.code };
      showError(error, next);
    }
    note(next);
  }

  async function send(kept: KeptOrder, mayBeLive: boolean): Promise<void> {
    if (!note(kept)) {
      const content = [make('h3', {}, 'Not sent'), make('p', {}, 'This browser stores no more for this page.')];
      return answer.show({ kind: 'refused', content });
    }
    isSending = true;
    onBlock('Waiting for the answer…');
    const waiting = make('p', {}, 'No answer yet: the order is repeated where that may help.');
    const stop = new AbortController();
    // A wallet may never answer.
    const buttons = kept.client === undefined ? [] : [makeButton('Stop waiting', () => stop.abort())];
    answer.show({ kind: 'pending', content: [waiting], buttons });
    await attempt(kept, mayBeLive, stop.signal).finally(() => {
      isSending = false;
    });
    onAnswer();
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
    place: (order: OrderRequest, names: Pick<KeptOrder, 'market' | 'outcome'>) => {
      const [key, client, wantedAt] = [newIdempotencyKey(), deps.clientAddress(), Date.now()];
      return send({ key, order, ...names, client, wantedAt, state: 'open' }, false);
    },
    /** Sends an order again under its key, unless another one is on its way. */
    repeat,
    /** Takes the orders as the venue has them now: the outcome that is shown follows its order. */
    follow: (orders: readonly OwnOrder[]) => {
      if (!latest || answer.shown() !== latest.outcome) return;
      const { placed, kept } = latest;
      const now = orders.find(({ id }) => id === placed.order_id);
      if (now) answer.renew(describePlaced(placed, kept, now));
    },
  };
}
