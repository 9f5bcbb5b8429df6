import { newIdempotencyKey, OrderBookError, type OrderRequest, type PlacedOrder } from '../client/client.ts';
import { createAnswer, makeDetails, type Outcome } from './answer.ts';
import { make, makeButton, makeFacts } from './dom.ts';
import { describeOrder, formatMoney } from './figures.ts';
import type { OwnOrder } from './holdings.ts';
import { canKeep, isRepeatable, type Journal, type KeptOrder } from './journal.ts';
import { notSent, sentenceOf, standingOf } from './words.ts';

interface PlacementDeps {
  readonly journal: Journal;
  /** Prepares for an order. Throws `OrderBookError` if another service now answers, or another wallet is connected. */
  readonly prepare: (kept: KeptOrder) => Promise<void>;
  /** Sends an order, which a wallet may have to sign first; calls `onSend` before each request. Throws `OrderBookError`. */
  readonly send: (kept: KeptOrder, mayBeLive: boolean, onSend: () => void, signal: AbortSignal) => Promise<PlacedOrder>;
  readonly clientAddress: () => string | undefined;
  /** Name of the wallet that is asked to sign; `undefined` where none is. */
  readonly signer: () => string | undefined;
  /** Called with the reason why no further order can be sent now, and with `undefined` once one can. */
  readonly onBlock: (reason: string | undefined) => void;
  readonly onAnswer: () => void;
}

const NO_ROOM = 'This browser stores no more for this page, and an order that is not stored could be lost.';

/** Names an order and its market: the page may show another one by now. */
function headingOf(what: string, { order, outcome, market }: KeptOrder, end = ''): readonly HTMLElement[] {
  const terms = describeOrder({ ...order, outcome });
  return [make('h3', {}, `${what}: ${terms}${end}`), make('p', { class: 'hint' }, market)];
}

/** Describes an order as the service has answered, or as the venue has it now. */
function describePlaced(placed: PlacedOrder, kept: KeptOrder, now?: OwnOrder): readonly HTMLElement[] {
  const { status, size, filled_size: answered } = placed;
  const [filled, value] = now ? [now.filled, now.value] : [answered, answered === '0' ? '0' : placed.filled_value];
  const facts = {
    Status: standingOf(now?.status ?? status, size, filled),
    Value: value === null ? 'not reported by the venue' : `${formatMoney(value)}, before fees`,
  };
  return [...headingOf('Placed', kept), makeFacts(facts)];
}

/** Places orders, one at a time, and shows the outcome of each. */
export function createPlacement(deps: PlacementDeps) {
  const { journal, prepare, onBlock, onAnswer } = deps;
  const answer = createAnswer();
  let isSending = false;
  /** The order whose outcome is shown, as the service answered. */
  let latest: { readonly outcome: Outcome; readonly kept: KeptOrder; readonly placed: PlacedOrder } | undefined;

  const detailsOf = (kept: KeptOrder, json?: object) =>
    makeDetails('Details', `Key: ${kept.key}`, json && JSON.stringify(json, null, 2));

  function showPlaced(placed: PlacedOrder, kept: KeptOrder): void {
    const details = detailsOf(kept, placed);
    const outcome: Outcome = { kind: 'placed', content: describePlaced(placed, kept), details };
    latest = { outcome, kept, placed };
    onBlock(undefined);
    answer.show(outcome);
  }

  function showUnsettled(kept: KeptOrder, lines: readonly HTMLElement[] = [], details = detailsOf(kept)): void {
    onBlock('Settle the last order first');
    const heading = headingOf('Not settled', kept, ' may be live');
    const advice = isRepeatable(kept)
      ? 'Repeat it: that settles it, and never places a second order.'
      : 'It is too old to be repeated: the service may have forgotten it. Look for the order at the venue.';
    const again = makeButton('Repeat safely', () => repeat(kept), { class: 'primary' });
    const leave = makeButton('Leave it unsettled', () => {
      answer.show();
      note({ ...kept, state: 'left' });
      onBlock(undefined);
    });
    const buttons = isRepeatable(kept) ? [again, leave] : [leave];
    answer.show({ kind: 'unsettled', content: [...heading, make('p', {}, advice), ...lines], buttons, details });
  }

  function showError(error: OrderBookError, kept: KeptOrder) {
    const { code, status, requestId, facts, detail } = error;
    const { venue_reason: venueReason } = facts;
    const lines = makeFacts(typeof venueReason === 'string' ? { 'The venue says': venueReason } : {});
    const details = detailsOf(kept, { code, status, detail, request_id: requestId, ...facts });
    const why = sentenceOf(error, kept.order.side);
    // Its sentence is about an order that was not sent.
    const doubt = code === 'aborted' ? 'You stopped waiting.' : why;
    if (kept.state === 'open') return showUnsettled(kept, [make('p', { class: 'hint' }, doubt), lines], details);
    onBlock(undefined);
    const content = [...headingOf('Not placed', kept), make('p', {}, why), lines];
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

  function showPending(kept: KeptOrder, text: string, stop: AbortController): void {
    // A wallet may never answer.
    const buttons = kept.client === undefined ? [] : [makeButton('Stop waiting', () => stop.abort())];
    answer.show({ kind: 'pending', content: [make('p', {}, text)], buttons });
  }

  /** Sends an order, shows what became of it, and notes it. */
  async function attempt(kept: KeptOrder, mayBeLive: boolean, stop: AbortController): Promise<void> {
    let [isSent, next] = [false, kept];
    const onSend = () => {
      if (isSent) return;
      // Before a byte leaves: the page may be closed at any time.
      if (!note({ ...kept, state: 'open' }) && !mayBeLive) throw notSent(NO_ROOM, 'aborted');
      isSent = true;
      onBlock('Waiting for the answer…');
      showPending(kept, 'No answer yet: the order is repeated where that may help.', stop);
    };
    try {
      await prepare(kept);
      const placed = await deps.send(kept, mayBeLive, onSend, stop.signal);
      const { order_id: orderId, status: answered, filled_size: filled } = placed;
      next = { ...kept, state: 'placed', orderId, answer: answered, filled: filled ?? undefined };
      showPlaced(placed, next);
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      // Where nothing was sent, the error is not about the order.
      const isOpen = isSent ? error.mayBeLive : mayBeLive;
      const { order_id: orderId = kept.orderId } = error.facts;
      next = { ...kept, state: isOpen ? 'open' : 'refused', orderId, answer: error.code };
      showError(error, next);
    }
    note(next);
  }

  async function send(kept: KeptOrder, mayBeLive: boolean): Promise<void> {
    if (!note(kept) && !mayBeLive) {
      const content = [make('h3', {}, 'Not sent'), make('p', {}, NO_ROOM)];
      return answer.show({ kind: 'refused', content });
    }
    isSending = true;
    const [stop, wallet] = [new AbortController(), deps.signer()];
    const waiting = wallet === undefined ? 'Placing it…' : `Waiting for ${wallet}…`;
    onBlock(waiting);
    const unsigned = mayBeLive ? 'sign the repeat.' : 'sign it. Nothing was sent yet.';
    showPending(kept, wallet === undefined ? waiting : `Waiting for ${wallet} to ${unsigned}`, stop);
    await attempt(kept, mayBeLive, stop).finally(() => {
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
    answer.show();
    onBlock(undefined);
  });
  addEventListener('beforeunload', (event) => {
    if (isOpen()) event.preventDefault();
  });
  return {
    place: (order: OrderRequest, more: Pick<KeptOrder, 'market' | 'outcome' | 'bound'>) => {
      const [key, client, wantedAt] = [newIdempotencyKey(), deps.clientAddress(), Date.now()];
      return send({ key, order, ...more, client, wantedAt, state: 'unsent' }, false);
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
