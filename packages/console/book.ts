import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make, makeButton, makeFacts, replaceKeepingFocus } from './dom.ts';
import { formatCents, formatPrice, formatShares, SUM_DECIMALS, shorten } from './figures.ts';
import type { OwnOrder } from './holdings.ts';

/** Levels of each side that are shown, besides those with orders of the user. */
const MAX_LEVELS = 30;
/** Rows of each side at least. */
const MIN_ROWS = 5;
const ONE = parseUnits('1');

type Level = Book['bids'][number];
type Side = 'bid' | 'ask';

/** What the buttons of the ladder do. */
export interface LadderEvents {
  readonly usePrice: (price: string) => void;
  readonly cancel: (orders: readonly OwnOrder[]) => void;
}

interface Row {
  readonly level: Level;
  readonly side: Side;
  /** Shares from the best price up to this one, in 10^-18, and what they cost, in 10^-36. */
  readonly total: bigint;
  readonly value: bigint;
  readonly own: readonly OwnOrder[];
}

/** Returns the empty price levels beyond a side of the book, tick by tick. */
function pricesBeyond(from: string, side: Side, tick: string, count: number): readonly Level[] {
  const step = side === 'ask' ? parseUnits(tick) : -parseUnits(tick);
  const prices = Array.from({ length: Math.max(0, count) }, (_, index) => parseUnits(from) + step * BigInt(index + 1));
  return prices.filter((price) => price > 0n && price < ONE).map((price) => ({ price: formatUnits(price), size: '0' }));
}

/** Returns the rows of a side, best first: its levels, those with orders of the user, and empty prices up to `least` rows. */
function rowsOf(book: Book, side: Side, orders: readonly OwnOrder[], least: number): readonly Row[] {
  const [levels, others] = side === 'bid' ? [book.bids, book.asks] : [book.asks, book.bids];
  const last = levels.at(-1)?.price ?? others[0]?.price;
  const beyond = last === undefined ? [] : pricesBeyond(last, side, book.tick_size, least - levels.length);
  let [total, value] = [0n, 0n];
  const rows = [...levels, ...beyond].map((level) => {
    total += parseUnits(level.size);
    value += parseUnits(level.size) * parseUnits(level.price);
    const isHere = (order: OwnOrder) => parseUnits(order.price) === parseUnits(level.price);
    return { level, side, total, value, own: orders.filter(isHere) };
  });
  return rows.filter(({ own }, index) => index < MAX_LEVELS || own.length > 0);
}

function makeCancel(own: readonly OwnOrder[], price: string, cancel: LadderEvents['cancel']): HTMLButtonElement {
  const open = own.reduce((sum, { size, filled }) => sum + parseUnits(size) - parseUnits(filled), 0n);
  const size = formatShares(formatUnits(open));
  const name = `Cancel ${size} shares at ${price}`;
  const named = { 'aria-label': name, title: name, 'data-key': `cancel ${price}` };
  return makeButton(`✕ ${shorten(size).replace(/\.00$/, '')}`, () => cancel(own), named);
}

function makeRow(
  { level, side, total, value, own }: Row,
  tick: string,
  most: bigint,
  events: LadderEvents,
): HTMLElement {
  const [price, isEmpty] = [formatPrice(level.price, tick), level.size === '0'];
  const name = `${side === 'bid' ? 'Bid' : 'Ask'} ${price}: use this price`;
  const button = makeButton(price, () => events.usePrice(price), { 'aria-label': name, 'data-key': `use ${price}` });
  const shares = [level.size, formatUnits(total)].map(formatShares);
  const figures = [...shares, formatCents(formatUnits(value, SUM_DECIMALS))];
  const row = make(
    'tr',
    { class: isEmpty ? 'none' : side },
    make('th', { scope: 'row' }, button),
    figures.map((text) => make('td', { title: text }, isEmpty ? '' : shorten(text))),
    make('td', {}, own.length === 0 ? [] : [makeCancel(own, price, events.cancel)]),
  );
  // The bar's width: a float is enough for looks.
  row.style.setProperty('--part', `${isEmpty ? 0n : (100n * total) / most}%`);
  return row;
}

function makeSpread({ asks: [ask], bids: [bid], tick_size }: Book): HTMLElement {
  const none = `No ${ask ? 'bids' : bid ? 'asks' : 'orders'} on this book.`;
  const spread = ask && bid && formatUnits(parseUnits(ask.price) - parseUnits(bid.price));
  const text = spread ? `Spread ${formatPrice(spread, tick_size)}` : none;
  return make('tr', { class: 'spread' }, make('td', { colspan: '5' }, text));
}

/** Shows the best prices, large. */
export function showQuote(
  box: HTMLElement,
  { asks: [ask], bids: [bid], last_trade_price: last, tick_size }: Book,
): void {
  const price = (text: string | null | undefined) => (text ? formatPrice(text, tick_size) : '—');
  box.replaceChildren(makeFacts({ Bid: price(bid?.price), Ask: price(ask?.price), Last: price(last) }));
}

/** Divides the height between head and spread, which are equally high, into whole rows; returns how many each side has. */
function divideHeight(box: HTMLElement): number {
  const height = box.clientHeight / 2 - (box.querySelector('thead')?.offsetHeight ?? 0);
  // The style's least height of a row: a target for a mouse or a finger.
  const rows = Math.max(MIN_ROWS, Math.floor(height / Number.parseFloat(getComputedStyle(box).lineHeight)));
  box.style.setProperty('--level', `${height / rows}px`);
  return rows;
}

/** Shows the best levels as a ladder, the highest price on top. The spread stays in its place on the screen. */
export function showLadder(box: HTMLElement, book: Book, orders: readonly OwnOrder[], events: LadderEvents): void {
  const [body, least] = [box.querySelector('tbody'), divideHeight(box)];
  const sides = (['ask', 'bid'] as const).map((side) => {
    const own = orders.filter((order) => (order.side === 'buy') === (side === 'bid'));
    return rowsOf(book, side, own, least);
  });
  const totals = sides.map((rows) => rows.at(-1)?.total ?? 0n);
  const [most = 0n] = totals.toSorted((one, other) => (one > other ? -1 : 1));
  const [asks = [], bids = []] = sides.map((rows) => rows.map((row) => makeRow(row, book.tick_size, most, events)));
  const spread = makeSpread(book);
  const before = body?.querySelector<HTMLElement>('.spread')?.offsetTop;
  if (body) replaceKeepingFocus(body, [...asks.toReversed(), spread, ...bids]);
  if (before === undefined) box.scrollTop = spread.offsetTop - box.clientHeight / 2;
  else box.scrollTop += spread.offsetTop - before;
}
