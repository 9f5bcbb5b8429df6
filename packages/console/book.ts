import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make, makeButton, replaceKeepingFocus } from './dom.ts';
import { formatPrice, formatShares, formatTime } from './figures.ts';

/** Levels of each side that are shown, besides those with orders of the user. */
const MAX_LEVELS = 15;

/** Rows of each side at least, so that the spread stays where it is while levels come and go. */
const MIN_ROWS = 7;

/** Last trades that are shown. */
const MAX_TRADES = 8;

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

function makeShares(className: string, size: string): HTMLTableCellElement {
  return make('td', { class: className, title: `${size} shares` }, formatShares(size));
}

function makeCancel(own: readonly OwnOrder[], price: string, cancel: LadderEvents['cancel']): HTMLButtonElement {
  const open = own.reduce((sum, { size, filled }) => sum + parseUnits(size) - parseUnits(filled), 0n);
  const size = formatShares(formatUnits(open));
  const name = `Cancel ${size} shares at ${price}`;
  return makeButton(`${size} ×`, () => cancel(own), { 'aria-label': name, title: name, 'data-key': `cancel ${price}` });
}

function makeRow({ level, side, total, own }: Row, tick: string, most: bigint, events: LadderEvents): HTMLElement {
  const price = formatPrice(level.price, tick);
  const attributes = { 'aria-label': `${price}: use this price`, 'data-key': `use ${price}` };
  const button = makeButton(price, () => events.usePrice(price), attributes);
  const row = make(
    'tr',
    { class: side },
    make('td', { class: 'own' }, own.length === 0 ? [] : [makeCancel(own, price, events.cancel)]),
    make('th', { scope: 'row', class: side }, button),
    makeShares(`shares ${side}`, level.size),
    makeShares(`total ${side}`, formatUnits(total)),
  );
  // A share of the width: how it looks, not what it is.
  row.style.setProperty('--part', `${(100n * total) / most}%`);
  return row;
}

/** Returns the price between the best bid and the best ask; `undefined` for a book with one side only. */
export function midOf({ asks, bids }: Book): string | undefined {
  const [ask, bid] = [asks[0], bids[0]];
  return ask && bid && formatUnits((parseUnits(ask.price) + parseUnits(bid.price)) / 2n);
}

function makeWideRow(className: string, text: string): HTMLElement {
  return make('tr', { class: className }, make('td', { colspan: '4' }, text));
}

function makeSpread(book: Book): HTMLElement {
  const [ask, bid, mid] = [book.asks[0], book.bids[0], midOf(book)];
  if (!ask || !bid || mid === undefined) {
    return makeWideRow('spread', `No ${ask ? 'bids' : bid ? 'asks' : 'orders'} on this book.`);
  }
  const spread = formatPrice(formatUnits(parseUnits(ask.price) - parseUnits(bid.price)), book.tick_size);
  return makeWideRow('spread', `Spread ${spread} · mid ${formatPrice(mid, `${book.tick_size}0`)}`);
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

/** A trade of an outcome; `isBuy`: the taker bought. */
export interface LastTrade {
  readonly isBuy: boolean;
  readonly price: string;
  readonly size: string;
  readonly at: Date;
}

/** Shows the last trades, newest first, in the decimals of the ladder. */
export function showTrades(body: HTMLElement, trades: readonly LastTrade[], tick: string): void {
  const rows = trades.slice(0, MAX_TRADES).map(({ isBuy, price, size, at }) => {
    const side = isBuy ? 'bid' : 'ask';
    return make(
      'tr',
      {},
      make('td', { class: side }, isBuy ? 'Buy' : 'Sell'),
      make('td', { class: side }, formatPrice(price, tick)),
      make('td', {}, formatShares(size)),
      make('td', {}, formatTime(at)),
    );
  });
  body.replaceChildren(...(rows.length > 0 ? rows : [makeWideRow('empty', 'No trades of this outcome yet.')]));
}

function describeSide(name: string, levels: readonly Level[], tick: string): string {
  const [best, last] = [levels[0], levels.at(-1)];
  if (!best || !last) return `No ${name}.`;
  const total = formatUnits(levels.reduce((sum, { size }) => sum + parseUnits(size), 0n));
  const [from, to] = [best, last].map(({ price }) => formatPrice(price, tick));
  return `${levels.length} ${name}, ${formatShares(total)} shares from ${from} to ${to}.`;
}

/** Describes the depth of a book in words: the text of its chart. */
export function describeDepth({ asks, bids, tick_size }: Book): string {
  return `${describeSide('bids', bids, tick_size)} ${describeSide('asks', asks, tick_size)}`;
}
