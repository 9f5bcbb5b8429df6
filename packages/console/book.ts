import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make, makeButton, makeFacts, replaceKeepingFocus } from './dom.ts';
import { formatPrice, formatShares } from './figures.ts';

/** Levels of each side that are shown, besides those with orders of the user. */
const MAX_LEVELS = 15;

/** Rows of each side at least, so that the spread stays where it is while levels come and go. */
const MIN_ROWS = 6;

type Level = Book['bids'][number];

/** Order of the user, as the venue has it. */
export interface OwnOrder {
  readonly id: string;
  readonly tokenId: string;
  readonly side: 'buy' | 'sell';
  readonly outcome: string;
  readonly price: string;
  readonly size: string;
  readonly filled: string;
  /** Status in the venue's word, in lower case: `live` while it rests on a book. */
  readonly status: string;
}

/** What the buttons of the ladder do. */
export interface LadderEvents {
  readonly usePrice: (price: string) => void;
  readonly cancel: (orders: readonly OwnOrder[]) => void;
}

interface Row {
  readonly level: Level;
  readonly side: 'bid' | 'ask';
  /** Shares from the best price up to this one, in units. */
  readonly total: bigint;
  readonly own: readonly OwnOrder[];
}

/** Returns the rows of a side, best first: the best levels, and each at which the user has orders. */
function rowsOf(levels: readonly Level[], side: Row['side'], orders: readonly OwnOrder[]): readonly Row[] {
  let total = 0n;
  const rows = levels.map((level) => {
    total += parseUnits(level.size);
    const own = orders.filter(
      (order) => (order.side === 'buy') === (side === 'bid') && parseUnits(order.price) === parseUnits(level.price),
    );
    return { level, side, total, own };
  });
  return rows.filter(({ own }, index) => index < MAX_LEVELS || own.length > 0);
}

function makeCancel(own: readonly OwnOrder[], price: string, cancel: LadderEvents['cancel']): HTMLButtonElement {
  const open = own.reduce((sum, { size, filled }) => sum + parseUnits(size) - parseUnits(filled), 0n);
  const size = formatShares(formatUnits(open));
  const name = `Cancel ${size} shares at ${price}`;
  return makeButton(`✕ ${size}`, () => cancel(own), { 'aria-label': name, title: name, 'data-key': `cancel ${price}` });
}

function makeRow({ level, side, total, own }: Row, tick: string, most: bigint, events: LadderEvents): HTMLElement {
  const price = formatPrice(level.price, tick);
  const name = `${side === 'bid' ? 'Bid' : 'Ask'} ${price}: use this price`;
  const attributes = { 'aria-label': name, 'data-key': `use ${price}` };
  const button = makeButton(price, () => events.usePrice(price), attributes);
  const row = make(
    'tr',
    { class: side },
    make('th', { scope: 'row', class: side }, button),
    make('td', { class: side }, formatShares(level.size)),
    make('td', { class: side }, formatShares(formatUnits(total))),
    make('td', { class: 'own' }, own.length === 0 ? [] : [makeCancel(own, price, events.cancel)]),
  );
  // A share of the width: how it looks, not what it is.
  row.style.setProperty('--part', `${(100n * total) / most}%`);
  return row;
}

function makeWideRow(className: string, text: string): HTMLElement {
  return make('tr', { class: className }, make('td', { colspan: '4' }, text));
}

function makeSpread({ asks, bids, tick_size }: Book): HTMLElement {
  const [ask, bid] = [asks[0], bids[0]];
  if (!ask || !bid) return makeWideRow('spread', `No ${ask ? 'bids' : bid ? 'asks' : 'orders'} on this book.`);
  return makeWideRow('spread', `Spread ${formatPrice(spreadOf(ask, bid), tick_size)}`);
}

function spreadOf(ask: Level, bid: Level): string {
  return formatUnits(parseUnits(ask.price) - parseUnits(bid.price));
}

/** Shows the best prices, large. */
export function showQuote(box: HTMLElement, { asks, bids, last_trade_price: last, tick_size }: Book): void {
  const price = (text: string | undefined) => (text === undefined ? '—' : formatPrice(text, tick_size));
  const [ask, bid] = [asks[0], bids[0]];
  const spread = ask && bid && spreadOf(ask, bid);
  const facts = { Bid: bid?.price, Ask: ask?.price, Spread: spread, Last: last ?? undefined };
  const texts = Object.entries(facts).map(([name, text]) => [name, price(text)] as const);
  box.replaceChildren(makeFacts(Object.fromEntries(texts)));
}

function makeBlankRows(levels: number): readonly HTMLElement[] {
  return Array.from({ length: Math.max(0, MIN_ROWS - levels) }, () => makeWideRow('blank', ''));
}

/** Shows the best levels as a ladder, the highest price on top. The spread stays in its place on the screen. */
export function showLadder(box: HTMLElement, book: Book, orders: readonly OwnOrder[], events: LadderEvents): void {
  const body = box.querySelector('tbody');
  if (!body) return;
  const [asks, bids] = [rowsOf(book.asks, 'ask', orders), rowsOf(book.bids, 'bid', orders)];
  const totals = [asks.at(-1)?.total ?? 0n, bids.at(-1)?.total ?? 0n];
  const most = totals.reduce((largest, total) => (total > largest ? total : largest), 1n);
  const makeRows = (rows: readonly Row[]) => rows.map((row) => makeRow(row, book.tick_size, most, events));
  const above = body.querySelector<HTMLElement>('.spread')?.offsetTop;
  const spread = makeSpread(book);
  replaceKeepingFocus(body, [
    ...makeBlankRows(asks.length),
    ...makeRows(asks.toReversed()),
    spread,
    ...makeRows(bids),
    ...makeBlankRows(bids.length),
  ]);
  if (above === undefined) box.scrollTop = spread.offsetTop - box.clientHeight / 2;
  else box.scrollTop += spread.offsetTop - above;
}
