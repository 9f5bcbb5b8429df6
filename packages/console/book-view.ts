import { type Book, type Client, OrderBookError } from '../client/client.ts';
import { describeDepth, type LadderEvents, type OwnOrder, showLadder } from './book.ts';
import { drawDepth } from './depth-chart.ts';
import { find, say } from './dom.ts';
import { formatPrice, formatTime } from './figures.ts';
import type { Chosen } from './markets.ts';
import { createStaleness } from './staleness.ts';

interface Parts extends LadderEvents {
  readonly client: Client;
  /** Called for each book that is shown. */
  readonly onBook: (book: Book) => void;
}

/** The book of the chosen outcome: its ladder and its depth. */
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

function describeBook({ last_trade_price, timestamp, tick_size }: Book): string {
  const changed = timestamp === null ? '' : `, changed ${formatTime(new Date(timestamp))}`;
  const last = last_trade_price === null ? 'No trade yet' : `Last ${formatPrice(last_trade_price, tick_size)}`;
  return `${last}${changed}`;
}

/** Creates the view of the book, and asks for a new one each second while the page is visible. */
export function createBookView({ client, onBook, ...events }: Parts): BookView {
  const ladder = find('ladder', HTMLElement);
  const chart = find('depth-chart', SVGGElement);
  const staleness = createStaleness(find('console', HTMLElement), 'book-error', (since) =>
    say('book-age', since === undefined ? '' : `The book is from ${since}.`),
  );
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
    draw();
    drawDepth(chart, next);
    say('depth-text', describeDepth(next));
    onBook(next);
  }

  async function watch(tokenId: string): Promise<void> {
    watching.abort();
    watching = new AbortController();
    const onError = ({ detail, code }: OrderBookError) => {
      staleness.fail(`${detail} (${code})`);
    };
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
