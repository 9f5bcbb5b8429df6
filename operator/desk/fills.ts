import { addDecimals, formatDecimal, subtractDecimals, sumDecimals, ZERO } from '../../shared/decimal.ts';
import { formatTime } from '../../shared/time.ts';
import type { Fees, Trade } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Desk, note, orNote, plural, readKnown } from './desk.ts';
import { type Fill, fillsIn, isCounted, isUnknown, type Ours, quotient } from './our-part.ts';
import { type Row, report, type Sheet } from './output.ts';
import { type ClientCells, cellsIn, comparable, isOfClient, type Records, type Who } from './records.ts';

// One way to the fills of the account: listed, or summed by client, by token, or by both.

const FILL_NAMES =
  'time client_address client_address_verified caller order_id token_id market question outcome side price size value fee fee_source trade_id transaction_hash status recorded';
const CLIENT_NAMES = 'client_address client_address_verified recorded';
const SUM_NAMES = 'orders fills bought sold net';
const MARKET_NAMES = 'token_id market question outcome';
const MARKET_LINES = { outcome: 'outcome', question: 'question' };
const SUM_COLUMNS = { bought: 'bought', sold: 'sold', net: 'net' };
const COST_COLUMNS = { value: 'value', fees: 'fees' };

/** The report of fills. */
export const FILLS: Sheet = {
  names: FILL_NAMES.split(' '),
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
  names: `${CLIENT_NAMES} ${SUM_NAMES} shares value fees`.split(' '),
  columns: { orders: 'orders', fills: 'fills', ...SUM_COLUMNS, ...COST_COLUMNS },
  lines: {},
};

const POSITIONS: Sheet = {
  names: `${MARKET_NAMES} resolved ${SUM_NAMES} average_price value fees`.split(' '),
  columns: { ...SUM_COLUMNS, average_price: 'average', ...COST_COLUMNS, resolved: 'resolved' },
  lines: { ...MARKET_LINES, token_id: 'token' },
};

const CLIENT_POSITIONS: Sheet = { ...POSITIONS, names: [...CLIENT_NAMES.split(' '), ...POSITIONS.names] };

/** A fill of the account, with the client of its order. */
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

/** Sums the fills. A claimed address and a verified one are two clients: anybody may claim. */
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

/** Returns what identifies the account's orders in a trade: its API key, its accounts, and those of recorded orders. */
export function oursOf(
  { access, venue }: Pick<Desk, 'access' | 'venue'>,
  { byId, makers }: Pick<Records<unknown>, 'byId' | 'makers'>,
): Ours {
  const accounts = [access.address, access.funderAddress ?? access.address].map((address) => address.toLowerCase());
  return { recorded: byId, owner: venue.owner, makers: new Set([...makers, ...accounts]) };
}

/** Reads the fees of markets: `null` where the venue states none, `undefined` after a sentence where they are unreadable. */
async function readFees(desk: Desk, markets: Iterable<string>): Promise<Map<string, Fees | null | undefined>> {
  const fees = new Map<string, Fees | null | undefined>();
  for (const market of new Set(markets)) fees.set(market, await orNote(desk, desk.venue.fees(market)));
  return fees;
}

/**
 * Finds the account's fills in trades, with the questions of their markets. `foreign` are the trades without a
 * recognisable order of the account. The terminal gets a sentence for each market with unreadable fees.
 */
export async function findFills(desk: Desk, trades: readonly Trade[], ours: Ours) {
  const markets = [...new Set(trades.map(({ market }) => market))];
  const fees = await readFees(desk, markets);
  const catalogue = await desk.venue.markets(markets);
  const found = trades.map((trade) => ({ trade, fills: fillsIn(trade, ours, fees.get(trade.market) ?? null) }));
  return {
    fills: found.flatMap(({ trade, fills }) =>
      fills.map((fill) => {
        const { question = null, isResolved = null } = catalogue.get(fill.market) ?? {};
        return { time: formatTime(trade.match_time), ...fill, question, resolved: isResolved };
      }),
    ),
    foreign: found.filter(({ fills }) => fills.length === 0).map(({ trade }) => trade.id),
    areFeesRead: ![...fees.values()].includes(undefined),
  };
}

/** Notes the trades that cannot be read. */
export function noteUnreadableTrades(desk: Desk, ids: readonly string[]): void {
  if (ids.length === 0) return;
  note(desk, `${plural(ids.length, 'trade')} unreadable and not summed: ${ids.join(', ')}.`);
}

/** Notes what the sums leave out. */
function noteOmissions(desk: Desk, fills: readonly Fill[], foreign: readonly string[]): void {
  const omitted = fills.filter((fill) => !isCounted(fill));
  const noFee = fills.filter((fill) => isCounted(fill) && !fill.fee);
  const [unknown, failed] = [true, false].map((is) => omitted.filter(({ status }) => isUnknown(status) === is));
  if (failed?.length) note(desk, `${plural(failed.length, 'fill')} not summed: the settlement failed.`);
  if (unknown?.length) {
    const trades = unknown.map(({ trade_id, status }) => `${trade_id} (${status})`).join(', ');
    note(desk, `${plural(unknown.length, 'fill')} not summed, of trades in an unknown state: ${trades}.`);
  }
  if (noFee.length > 0) note(desk, `The fee of ${plural(noFee.length, 'fill')} is unknown and not summed.`);
  if (foreign.length > 0) {
    note(desk, `${plural(foreign.length, 'trade')} without a known order of this account: ${foreign.join(', ')}.`);
  }
}

/** Reports the fills of the account, or their sums. Returns 1 if a trade or a fee cannot be read. */
export async function reportFills(desk: Desk, options: FillsOptions): Promise<number> {
  const { venue, terminal, format } = desk;
  const { client, byClient, byToken } = options;
  const { trades, unreadable } = await venue.trades(options);
  // Reads records after trades, so that orders placed during the minutes of reading have their records.
  const records = await readKnown(desk, ({ client, caller }): Who => ({ client, caller }));
  const { fills: all, foreign, areFeesRead } = await findFills(desk, trades, oursOf(desk, records));
  const fills = all
    .map((fill) => ({ ...fill, ...cellsIn(records, fill.order_id) }))
    .filter((fill) => client === undefined || isOfClient(fill, client));
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
    const first = trades[0] ? `the first listed one, of ${formatTime(trades[0].match_time)}` : 'those that are listed';
    note(desk, `Not in this list: redeemed, merged, split or moved shares, and trades before ${first}.`);
  }
  const isWhole =
    foreign.length + unreadable.length + records.unreadable === 0 && !fills.some(({ status }) => isUnknown(status));
  return isWhole && areFeesRead ? 0 : 1;
}
