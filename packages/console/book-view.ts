import { type Book, type Client, OrderBookError } from '../client/client.ts';
import { type LadderEvents, type OwnOrder, showLadder, showQuote } from './book.ts';
import { find, makeButton, replaceKeepingFocus, say } from './dom.ts';
import { formatPrice, formatTime } from './figures.ts';
import type { Chosen } from './markets.ts';
import { createStaleness } from './staleness.ts';

interface Parts extends LadderEvents {
  readonly client: Client;
  /** Called for each book that is shown. */
  readonly onBook: (book: Book) => void;
  /** Called with the time of the last good book once it is not up to date; with `undefined` while it is. */
  readonly onStale: (since: string | undefined) => void;
  readonly onChoose: (chosen: Chosen) => void;
}

/** The book of the chosen outcome. */
export interface BookView {
  /** Shows the book of an outcome until another one is chosen. */
  choose(chosen: Chosen): void;
  /** Asks for the book at once. */
  refresh(): void;
  /** Notes an answer that the book has not changed. */
  confirm(): void;
  /** Takes the orders of the user, which it marks in the ladder. */
  setOwn(orders: readonly OwnOrder[]): void;
}

function describeBook({ timestamp, min_order_size, tick_size }: Book): string {
  const changed = timestamp === null ? '' : `Changed ${formatTime(new Date(timestamp))} · `;
  return `${changed}tick ${tick_size} · at least ${min_order_size} shares`;
}

/** Creates the view of the book, and asks for a new one each second while the page is visible. */
export function createBookView({ client, onBook, onStale, onChoose, ...events }: Parts): BookView {
  const ladder = find('ladder', HTMLElement);
  const staleness = createStaleness(find('console', HTMLElement), 'book-error', onStale);
  let watching = new AbortController();
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let own: readonly OwnOrder[] = [];

  function draw(): void {
    const orders = own.filter(({ tokenId }) => tokenId === chosen?.outcome.token_id);
    if (book) showLadder(ladder, book, orders, events);
  }

  function show(next: Book): void {
    book = next;
    staleness.confirm();
    say('book-facts', describeBook(next));
    showQuote(find('quote', HTMLElement), next);
    // The price to buy at, as in the list.
    const price = next.asks[0]?.price ?? next.bids[0]?.price;
    const name = chosen?.market.question ?? 'Order book';
    document.title = price === undefined ? name : `${formatPrice(price, next.tick_size)} · ${name}`;
    draw();
    onBook(next);
  }

  function offerOutcomes({ market, outcome }: Chosen): void {
    const buttons = market.outcomes.map((each) => {
      const pressed = { 'aria-pressed': String(each.token_id === outcome.token_id), 'data-key': each.token_id };
      return makeButton(each.name ?? 'Outcome', () => onChoose({ market, outcome: each }), pressed);
    });
    replaceKeepingFocus(find('outcomes', HTMLElement), buttons);
  }

  async function watch(tokenId: string): Promise<void> {
    watching.abort();
    watching = new AbortController();
    // The first sentence: there is room for two lines.
    const onError = ({ detail }: OrderBookError) => staleness.fail(detail.replace(/(?<=\.) .*/s, ''));
    try {
      await client.watchBook(tokenId, show, { signal: watching.signal, onError });
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      onError(error);
    }
  }

  const refresh = () => void (chosen && watch(chosen.outcome.token_id));
  // A hidden page asks for nothing.
  document.addEventListener('visibilitychange', () => (document.hidden ? watching.abort() : refresh()));
  return {
    choose: (next) => {
      [chosen, book] = [next, undefined];
      const { market, outcome } = next;
      say('book-title', `${market.question ?? market.id} · ${outcome.name ?? 'Outcome'}`);
      offerOutcomes(next);
      // No price of the market before under the name of this one.
      for (const id of ['quote', 'ladder-rows']) find(id, HTMLElement).replaceChildren();
      say('book-facts', 'Waiting for the book…');
      staleness.reset();
      refresh();
    },
    refresh,
    confirm: staleness.confirm,
    setOwn: (orders) => {
      const resting = orders.filter(({ status }) => status === 'live');
      const isSame = JSON.stringify(resting) === JSON.stringify(own);
      own = resting;
      if (!isSame) draw();
    },
  };
}
