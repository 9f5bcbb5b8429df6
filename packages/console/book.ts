import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make, makeButton, timeOfDay } from './dom.ts';
import { decimalsOf, fixed, SHARES_DECIMALS } from './figures.ts';

/** Levels of each side that are shown. */
const MAX_LEVELS = 15;

/** Rows of each side at least, so that the spread stays where it is while levels come and go. */
const MIN_ROWS = 7;

/** Last trades that are shown. */
const MAX_TRADES = 8;

type Level = Book['bids'][number];

/** Order of the user that rests on a book. */
export interface RestingOrder {
  readonly id: string;
  readonly tokenId: string;
  readonly side: 'ask' | 'bid';
  readonly price: string;
  readonly openSize: string;
}

interface Row {
  readonly level: Level;
  readonly side: 'bid' | 'ask';
  /** Shares from the best price up to this one, in units. */
  readonly total: bigint;
}

function addUp(levels: readonly Level[], side: Row['side']): readonly Row[] {
  let total = 0n;
  return levels.slice(0, MAX_LEVELS).map((level) => {
    total += parseUnits(level.size);
    return { level, side, total };
  });
}

function makeShares(className: string, size: string): HTMLTableCellElement {
  return make('td', { class: className, title: `${size} shares` }, fixed(size, SHARES_DECIMALS));
}

interface Scale {
  readonly decimals: number;
  readonly most: bigint;
}

function makeRow({ level, side, total }: Row, scale: Scale, usePrice: (price: string) => void): HTMLTableRowElement {
  const { price } = level;
  const shown = fixed(price, scale.decimals);
  const button = make('button', { type: 'button', 'aria-label': `${shown}: use this price` }, shown);
  button.dataset['price'] = price;
  button.addEventListener('click', () => usePrice(price));
  const row = make(
    'tr',
    { class: side },
    make('td', { class: 'own' }),
    make('th', { scope: 'row', class: side }, button),
    makeShares(`shares ${side}`, level.size),
    makeShares(`total ${side}`, formatUnits(total)),
  );
  // A share of the width: how it looks, not what it is.
  row.style.setProperty('--part', `${(100n * total) / scale.most}%`);
  return row;
}

/** Returns the price between the best bid and the best ask; `undefined` for a book that has one side alone. */
export function midOf({ asks, bids }: Book): string | undefined {
  const [ask, bid] = [asks[0], bids[0]];
  return ask && bid && formatUnits((parseUnits(ask.price) + parseUnits(bid.price)) / 2n);
}

function makeSpread(book: Book): HTMLTableRowElement {
  const [ask, bid, mid] = [book.asks[0], book.bids[0], midOf(book)];
  const text =
    ask && bid && mid !== undefined
      ? `Spread ${fixed(formatUnits(parseUnits(ask.price) - parseUnits(bid.price)), decimalsOf(book.tick_size))} · mid ${fixed(mid, decimalsOf(book.tick_size) + 1)}`
      : `No ${ask ? 'bids' : bid ? 'asks' : 'orders'}`;
  return make('tr', { class: 'spread' }, make('td', { colspan: '4' }, text));
}

function makeBlankRows(levels: number): readonly HTMLElement[] {
  return Array.from({ length: Math.max(0, MIN_ROWS - levels) }, () =>
    make('tr', { class: 'blank' }, make('td', { colspan: '4' })),
  );
}

/**
 * Shows the best levels as a ladder, the highest price on top. The spread stays in its place on the screen, and a
 * button that has the focus keeps it.
 */
export function showLadder(box: HTMLElement, book: Book, usePrice: (price: string) => void): void {
  const body = box.querySelector('tbody');
  if (!body) return;
  const [asks, bids] = [addUp(book.asks, 'ask'), addUp(book.bids, 'bid')];
  const totals = [asks.at(-1)?.total ?? 0n, bids.at(-1)?.total ?? 0n] as const;
  const most = totals.reduce((largest, total) => (total > largest ? total : largest), 1n);
  const scale = { decimals: decimalsOf(book.tick_size), most };
  const makeRows = (rows: readonly Row[]) => rows.map((row) => makeRow(row, scale, usePrice));
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['price'] : undefined;
  const above = body.querySelector<HTMLElement>('.spread')?.offsetTop;
  const spread = makeSpread(book);
  body.replaceChildren(
    ...makeBlankRows(asks.length),
    ...makeRows(asks.toReversed()),
    spread,
    ...makeRows(bids),
    ...makeBlankRows(bids.length),
  );
  if (above === undefined) box.scrollTop = spread.offsetTop - box.clientHeight / 2;
  else box.scrollTop += spread.offsetTop - above;
  if (focused === undefined) return;
  [...body.querySelectorAll('button')].find(({ dataset }) => dataset['price'] === focused)?.focus();
}

/**
 * Marks the levels of the ladder at which the user has orders, with the shares that are still open; a level's button
 * cancels them.
 */
export function markOwn(
  body: HTMLElement,
  orders: readonly RestingOrder[],
  cancel: (orders: readonly RestingOrder[]) => void,
): void {
  for (const row of body.querySelectorAll('tr')) {
    const price = row.querySelector('th button')?.getAttribute('data-price') ?? undefined;
    const cell = row.querySelector('td.own');
    if (price === undefined || !cell) continue;
    const own = orders.filter(
      (order) => row.classList.contains(order.side) && parseUnits(order.price) === parseUnits(price),
    );
    const open = formatUnits(own.reduce((sum, { openSize }) => sum + parseUnits(openSize), 0n));
    const label = `${fixed(open, SHARES_DECIMALS)} ×`;
    const name = `Cancel ${fixed(open, SHARES_DECIMALS)} shares at ${price}`;
    if (own.length === 0) cell.replaceChildren();
    else if (cell.textContent !== label)
      cell.replaceChildren(
        makeButton(label, () => cancel(own), { 'aria-label': name, title: name, 'data-cancel': price }),
      );
  }
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
  const rows = trades
    .slice(0, MAX_TRADES)
    .map(({ isBuy, price, size, at }) =>
      make(
        'tr',
        {},
        make('td', { class: isBuy ? 'bid' : 'ask' }, isBuy ? 'Buy' : 'Sell'),
        make('td', { class: isBuy ? 'bid' : 'ask' }, fixed(price, decimalsOf(tick))),
        make('td', {}, fixed(size, SHARES_DECIMALS)),
        make('td', {}, timeOfDay(at)),
      ),
    );
  const none = make('tr', {}, make('td', { colspan: '4' }, 'None yet.'));
  body.replaceChildren(...(rows.length > 0 ? rows : [none]));
}

function describeSide(name: string, levels: readonly Level[]): string {
  const [best, last] = [levels[0], levels.at(-1)];
  if (!best || !last) return `No ${name}.`;
  const total = formatUnits(levels.reduce((sum, { size }) => sum + parseUnits(size), 0n));
  return `${levels.length} ${name}, ${fixed(total, SHARES_DECIMALS)} shares from ${best.price} to ${last.price}.`;
}

/** Describes the depth of a book in words: the text of its chart. */
export function describeDepth({ asks, bids }: Book): string {
  return `${describeSide('bids', bids)} ${describeSide('asks', asks)}`;
}
