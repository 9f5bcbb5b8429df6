import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make, makeButton, makeFacts, part, replaceKeepingFocus } from './dom.ts';
import { formatCents, formatPrice, formatShares, largest, SUM_DECIMALS, shorten } from './figures.ts';
import type { OwnOrder } from './holdings.ts';

/** Levels of each side that are shown, besides those with orders of the user. */
const MAX_LEVELS = 30;

/** Part of a side's rows that it has room for at least: fewer levels leave some of it free, more are stretched over it. */
const ROOM = 0.6;

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

/** Returns the rows of a side, best first: its levels, and those with orders of the user. */
function rowsOf(levels: readonly Level[], side: Side, orders: readonly OwnOrder[]): readonly Row[] {
  let [total, value] = [0n, 0n];
  const rows = levels.map((level) => {
    total += parseUnits(level.size);
    value += parseUnits(level.size) * parseUnits(level.price);
    const isHere = (order: OwnOrder) => parseUnits(order.price) === parseUnits(level.price);
    return { level, side, total, value, own: orders.filter(isHere) };
  });
  return rows.filter(({ own }, index) => index < MAX_LEVELS || own.length > 0);
}

function makeCancel(own: readonly OwnOrder[], price: string, cancel: LadderEvents['cancel']): HTMLButtonElement {
  const left = own.reduce((sum, { size, filled }) => sum + parseUnits(size) - parseUnits(filled), 0n);
  const size = formatShares(formatUnits(left));
  const name = `Cancel ${size} shares at ${price}`;
  const named = { class: 'cancel', 'aria-label': name, title: name, 'data-key': `cancel ${price}` };
  return makeButton(shorten(size).replace(/\.\d\d$/, ''), () => cancel(own), named);
}

function makeRow({ level, side, total, value, own }: Row, tick: string, most: bigint, events: LadderEvents) {
  const price = formatPrice(level.price, tick);
  const name = `${side === 'bid' ? 'Bid' : 'Ask'} ${price}: use this price`;
  const button = makeButton(price, () => events.usePrice(price), { 'aria-label': name, 'data-key': `use ${price}` });
  const figures = [formatShares(level.size), formatCents(formatUnits(value, SUM_DECIMALS))];
  const row = make(
    'tr',
    { class: side },
    make('th', { scope: 'row' }, button),
    figures.map((text) => make('td', { title: text }, shorten(text))),
    make('td', {}, own.length === 0 ? [] : [makeCancel(own, price, events.cancel)]),
  );
  // The bar's width: a float is enough for looks.
  row.style.setProperty('--part', `${(100n * total) / most}%`);
  return row;
}

/** Creates the room of rows that a side does not have, so that the spread stays near the middle. */
function makeRoom(rows: number): HTMLElement {
  const room = make('tr', { 'aria-hidden': 'true', class: 'room' }, make('td', { colspan: '4' }));
  room.style.setProperty('--rows', String(rows));
  return room;
}

function makeSpread({ asks: [ask], bids: [bid], tick_size }: Book): HTMLElement {
  const none = `No ${ask ? 'bids' : bid ? 'asks' : 'orders'} on this book.`;
  const spread = ask && bid && formatUnits(parseUnits(ask.price) - parseUnits(bid.price));
  const text = spread ? `Spread ${formatPrice(spread, tick_size)}` : none;
  return make('tr', { class: 'spread' }, make('td', { colspan: '4' }, text));
}

/** Shows the best prices, large. */
export function showQuote({ asks: [ask], bids: [bid], last_trade_price: last, tick_size }: Book): void {
  const price = (text: string | null | undefined) => (text ? formatPrice(text, tick_size) : '—');
  part('quote').replaceChildren(makeFacts({ Bid: price(bid?.price), Ask: price(ask?.price), Last: price(last) }));
}

/** Shows the best levels as a ladder, the highest price on top. The spread stays in its place on the screen. */
export function showLadder(book: Book, orders: readonly OwnOrder[], events: LadderEvents): void {
  const [box, body] = [part('ladder'), part('ladder-rows')];
  const sides = (['ask', 'bid'] as const).map((side) => {
    const own = orders.filter((order) => (order.side === 'buy') === (side === 'bid'));
    return rowsOf(side === 'bid' ? book.bids : book.asks, side, own);
  });
  const most = largest(sides.map((rows) => rows.at(-1)?.total ?? 0n));
  const least = Math.ceil(ROOM * Number(getComputedStyle(box).getPropertyValue('--rows')));
  const [asks = [], bids = []] = sides.map((rows) => [
    ...rows.map((row) => makeRow(row, book.tick_size, most, events)),
    ...(rows.length < least ? [makeRoom(least - rows.length)] : []),
  ]);
  const spread = makeSpread(book);
  const before = body.querySelector<HTMLElement>('.spread')?.offsetTop;
  replaceKeepingFocus(body, [...asks.toReversed(), spread, ...bids]);
  if (before === undefined) box.scrollTop = spread.offsetTop - box.clientHeight / 2;
  else box.scrollTop += spread.offsetTop - before;
}
