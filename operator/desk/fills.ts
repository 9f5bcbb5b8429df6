import { addDecimals, formatDecimal, subtractDecimals, sumDecimals, ZERO } from '../../shared/decimal.ts';
import { formatTime } from '../../shared/time.ts';
import type { Trade } from '../../shared/venue/polymarket/operator-venue.ts';
import {
  type Fill,
  fillsIn,
  isCounted,
  isUnknown,
  type Ours,
  orderIdsIn,
  ownTrade,
  quotient,
  UNKNOWN_FEE,
} from '../account/fills.ts';
import { readMarkets } from '../account/markets.ts';
import { type ClientCells, comparable, isOfClient, whoOf } from '../account/records.ts';
import { type Desk, plural, readKnown } from './desk.ts';
import { type Row, report, type Sheet } from './output.ts';

// How to report the fills of the account: listed, or summed by client, by token, or by both.

const CLIENT_NAMES = 'client_address client_address_verified recorded';
const SUM_NAMES = 'orders fills bought sold net';
const MARKET_LINES = { outcome: 'outcome', question: 'question' };
const SUM_COLUMNS = { bought: 'bought', sold: 'sold', net: 'net' };
const COST_COLUMNS = { value: 'value', fees: 'fees' };

export const FILLS: Sheet = {
  names:
    'time client_address client_address_verified caller order_id token_id market question outcome side price size value fee fee_source trade_id transaction_hash status recorded',
  columns: { time: 'time', side: 'side', price: 'price', size: 'size', value: 'value', fee: 'fee', status: 'status' },
  lines: {
    order_id: 'order',
    ...MARKET_LINES,
    market: 'market',
    trade_id: 'trade',
    transaction_hash: 'transaction',
    fee_source: 'fee is',
  },
};

const CLIENTS: Sheet = {
  names: `${CLIENT_NAMES} ${SUM_NAMES} shares value fees`,
  columns: { orders: 'orders', fills: 'fills', ...SUM_COLUMNS, ...COST_COLUMNS },
  lines: {},
};

const POSITIONS: Sheet = {
  names: `token_id market question outcome resolved ${SUM_NAMES} average_price value fees`,
  columns: { ...SUM_COLUMNS, average_price: 'average', ...COST_COLUMNS, resolved: 'resolved' },
  lines: { ...MARKET_LINES, token_id: 'token' },
};

const CLIENT_POSITIONS: Sheet = { ...POSITIONS, names: `${CLIENT_NAMES} ${POSITIONS.names}` };

type OwnFill = Fill & ClientCells;

/** Sums the fills that count, exactly. An unknown fee is in no sum. */
function totalsOf(fills: readonly Fill[]) {
  const counted = fills.filter(isCounted);
  const [buys, sales] = (['buy', 'sell'] as const).map((side) => {
    const own = counted.filter((fill) => fill.side === side);
    return { shares: sumDecimals(own.map(({ size }) => size)), value: sumDecimals(own.map(({ value }) => value)) };
  });
  const [bought, sold] = [buys?.shares ?? ZERO, sales?.shares ?? ZERO];
  // Without purchases, the average price is that of the sales.
  const { shares, value } = (bought.coefficient > 0n ? buys : sales) ?? { shares: ZERO, value: ZERO };
  return {
    orders: new Set(counted.map(({ order_id }) => order_id)).size,
    fills: counted.length,
    bought,
    sold,
    net: subtractDecimals(bought, sold),
    shares: addDecimals(bought, sold),
    average_price: quotient(value, shares, 6),
    value: sumDecimals(counted.map(({ value }) => value)),
    fees: sumDecimals(counted.map(({ fee }) => fee ?? ZERO)),
  };
}

/** The period and the client of a report, and the cells that its sums are by; times in milliseconds of the Unix epoch. */
export interface FillsOptions {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly client: string | undefined;
  readonly byClient: boolean;
  readonly byToken: boolean;
}

/** Sums the fills. A claimed address and a verified one are two clients: anybody can claim an address. */
function sumsOf(fills: readonly OwnFill[], { byClient, byToken }: FillsOptions): readonly Row[] {
  const keyOf = ({ client_address: address, client_address_verified, recorded, token_id }: OwnFill) => {
    const client = byClient && [address && comparable(address), client_address_verified, recorded];
    return JSON.stringify([client, byToken && token_id]);
  };
  return [...Map.groupBy(fills.filter(isCounted), keyOf).values()].map((own) => ({ ...own[0], ...totalsOf(own) }));
}

function sheetOf({ byClient, byToken }: FillsOptions): Sheet {
  if (byToken) return byClient ? CLIENT_POSITIONS : POSITIONS;
  return byClient ? CLIENTS : FILLS;
}

/**
 * Finds the account's fills in trades, with the questions of their markets. `foreign` are the trades without a
 * recognisable order of the account. The operator gets a sentence for each market with unreadable fees.
 */
export async function findFills({ venue, note }: Desk, trades: readonly Trade[], recorded: Ours['recorded']) {
  const ours = { ...venue.own, recorded };
  const markets = await readMarkets(venue, note, [...new Set(trades.map(({ conditionId }) => conditionId))]);
  const found = trades.map((trade) => fillsIn(ownTrade(trade, ours), markets.get(trade.conditionId)?.fees ?? null));
  return {
    fills: found.flatMap((fills, index) =>
      fills.map((fill) => {
        const { question = null, isResolved = null } = markets.get(fill.market) ?? {};
        const about = { time: formatTime(trades[index]?.at ?? 0), question, resolved: isResolved };
        return { ...about, ...fill, ...(isCounted(fill) ? {} : UNKNOWN_FEE) };
      }),
    ),
    foreign: trades.filter((_, index) => found[index]?.length === 0).map(({ id }) => id),
    areFeesRead: ![...markets.values()].some(({ fees }) => fees === undefined),
  };
}

export function noteUnreadableTrades(desk: Desk, ids: readonly string[]): void {
  if (ids.length === 0) return;
  desk.note(`${plural(ids.length, 'trade')} unreadable and not summed: ${ids.join(', ')}.`);
}

/** Notes the fills whose price is unknown. Returns true if there are any. */
export function noteLimits(desk: Desk, fills: readonly Fill[]): boolean {
  const ids = fills.flatMap(({ addsUp, trade_id }) => (addsUp ? [] : trade_id));
  if (ids.length > 0)
    desk.note(`${plural(ids.length, 'fill')} valued at the limit price: its makers do not add up: ${ids.join(', ')}.`);
  return ids.length > 0;
}

/** Notes what the sums leave out. */
function noteOmissions(desk: Desk, fills: readonly Fill[], foreign: readonly string[]): void {
  const counted = fills.filter(isCounted);
  const noFee = counted.filter(({ fee }) => !fee);
  const unknown = fills.filter(isUnknown);
  const failed = fills.length - counted.length - unknown.length;
  if (failed > 0) desk.note(`${plural(failed, 'fill')} not summed: the settlement failed.`);
  if (unknown.length > 0) {
    const trades = unknown.map(({ trade_id, status }) => `${trade_id} (${status})`).join(', ');
    desk.note(`${plural(unknown.length, 'fill')} not summed: a trade is in an unknown state: ${trades}.`);
  }
  noteLimits(desk, counted);
  if (noFee.length > 0) desk.note(`The fee of ${plural(noFee.length, 'fill')} is unknown and not summed.`);
  if (foreign.length > 0) {
    desk.note(`${plural(foreign.length, 'trade')} without a known order of this account: ${foreign.join(', ')}.`);
  }
}

/** Reports the fills of the account, or their sums. Returns 1 if a trade or a fee cannot be read. */
export async function reportFills(desk: Desk, options: FillsOptions): Promise<number> {
  const { venue, terminal, format } = desk;
  const { client, byClient, byToken } = options;
  const { trades, unreadable } = await venue.trades(options);
  const seen = trades.flatMap((trade) => orderIdsIn(trade).map((id) => [id, trade.at] as const));
  // Reads records after trades, so that orders placed during the minutes of reading have their records.
  const records = await readKnown(desk, new Map(seen), whoOf);
  const { fills: all, foreign, areFeesRead } = await findFills(desk, trades, records.byId);
  const ofAll = all.map((fill) => ({ ...fill, ...records.cellsIn(fill.order_id) }));
  const fills = ofAll.filter((fill) => client === undefined || isOfClient(fill, client));
  // Their client is not known.
  const odd = client === undefined ? unreadable.map((trade_id) => ({ trade_id, status: 'unreadable' })) : [];
  const rows = byClient || byToken ? sumsOf(fills, options) : [...fills, ...odd];
  terminal.out(report(rows, format, sheetOf(options)));
  if (format === 'table') {
    const { orders, fills: count, ...sums } = totalsOf(fills);
    const [shares, value, fees] = [sums.shares, sums.value, sums.fees].map(formatDecimal);
    terminal.out(
      `${plural(count, 'fill')} of ${plural(orders, 'order')}: ${shares} shares, value ${value}, fees ${fees}.\n`,
    );
  }
  noteOmissions(desk, fills, foreign);
  noteUnreadableTrades(desk, unreadable);
  if (byToken) {
    const first = trades[0] ? `the first listed one, of ${formatTime(trades[0].at)}` : 'those that are listed';
    desk.note(`Not in this list: redeemed, merged, split or moved shares, and trades before ${first}.`);
  }
  const areClientsRead = !ofAll.some(({ recorded }) => recorded === null);
  const isWhole = foreign.length + unreadable.length === 0 && fills.every((fill) => fill.addsUp && !isUnknown(fill));
  return isWhole && areFeesRead && areClientsRead ? 0 : 1;
}
