import { type Book, type Client, OrderBookError } from '../client/client.ts';
import { type LadderEvents, showLadder, showQuote } from './book.ts';
import { make, makeButton, part, plain, replaceKeepingFocus, say } from './dom.ts';
import { formatMoney, formatPrice, formatTime } from './figures.ts';
import type { OwnOrder } from './holdings.ts';
import type { Chosen } from './markets.ts';
import type { Staleness } from './staleness.ts';
import { sentenceOf } from './words.ts';

interface Parts extends LadderEvents {
  readonly client: Client;
  readonly staleness: Staleness;
  /** Called for each book that is shown. */
  readonly onBook: (book: Book, chosen: Chosen) => void;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Pause after a failure in seconds: the client's own grows to half a minute. */
const RETRY_S = 3;

/** Describes a market by its end, what waits on its books and what was traded; the ticket has its rules. */
function describeMarket({ end_date: end, liquidity, volume_24h: volume }: Chosen['market']): readonly HTMLElement[] {
  const facts = [
    end && `Ends ${formatTime(new Date(end))}`,
    volume && `Volume 24 h ${formatMoney(volume)}`,
    liquidity && `Liquidity ${formatMoney(liquidity)}`,
  ];
  return facts.flatMap((fact) => (fact ? [make('span', {}, fact)] : []));
}

/** Creates the view of the book, and asks for a new one each second while the page is visible. */
export function createBookView({ client, staleness, onBook, onChoose, ...events }: Parts) {
  let watching = new AbortController();
  let retry: ReturnType<typeof setTimeout> | undefined;
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let own: readonly OwnOrder[] = [];

  function draw(): void {
    const orders = own.filter(({ tokenId }) => tokenId === chosen?.outcome.token_id);
    if (book) showLadder(book, orders, events);
  }

  function show(next: Book, { market, outcome }: Chosen): void {
    book = next;
    staleness.confirm('book');
    part('book-facts').replaceChildren(...describeMarket(market));
    showQuote(next);
    // The price to buy at, as in the list.
    const price = next.asks[0]?.price ?? next.bids[0]?.price;
    const name = market.question ?? 'Order book';
    document.title = plain(price === undefined ? name : `${formatPrice(price, next.tick_size)} · ${name}`);
    draw();
    onBook(next, { market, outcome });
  }

  function offerOutcomes({ market, outcome }: Chosen): void {
    const buttons = market.outcomes.map((each) => {
      const pressed = { 'aria-pressed': String(each.token_id === outcome.token_id), 'data-key': each.token_id };
      return makeButton(each.name ?? 'Outcome', () => onChoose({ market, outcome: each }), pressed);
    });
    replaceKeepingFocus(part('outcomes'), buttons);
  }

  /** Asks for the book at once, and goes on. */
  async function refresh(): Promise<void> {
    watching.abort();
    clearTimeout(retry);
    if (!chosen || document.hidden) return;
    watching = new AbortController();
    const [{ signal }, of] = [watching, chosen];
    const onError = (error: OrderBookError) => {
      // The first sentence: there is room for one.
      staleness.fail('book', sentenceOf(error).replace(/(?<=\.) .*/s, ''));
      retry = setTimeout(() => void refresh(), Math.max(RETRY_S, error.retryAfter ?? 0) * 1_000);
    };
    try {
      await client.watchBook(of.outcome.token_id, (next) => show(next, of), { signal, onError });
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      onError(error);
    }
  }

  // A hidden page asks for nothing.
  document.addEventListener('visibilitychange', () => void refresh());
  const resized = new ResizeObserver(() => {
    // Begins anew with the spread in the middle.
    part('ladder-rows').replaceChildren();
    draw();
  });
  resized.observe(part('ladder'));
  return {
    refresh,
    /** Shows the book of an outcome until another one is chosen. */
    choose: (next: Chosen) => {
      [chosen, book] = [next, undefined];
      say('book-title', `${next.market.question ?? next.market.id}\u00a0·\u00a0${next.outcome.name ?? 'Outcome'}`);
      offerOutcomes(next);
      // No price of the market before under the name of this one.
      for (const id of ['quote', 'ladder-rows']) part(id).replaceChildren();
      say('book-facts', 'Waiting for the book…');
      staleness.reset('book');
      void refresh();
    },
    /** Takes the orders of the user, which it marks in the ladder. */
    setOwn: (orders: readonly OwnOrder[]) => {
      const resting = orders.filter(({ status }) => status === 'live');
      const isSame = JSON.stringify(resting) === JSON.stringify(own);
      own = resting;
      if (!isSame) draw();
    },
  };
}
