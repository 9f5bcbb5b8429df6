import { formatDecimal, ZERO } from '../../shared/decimal.ts';
import { type Desk, note, orNote, plural } from './desk.ts';
import { type Fill, fillsIn, isCounted, type Ours, sumOf } from './our-part.ts';
import { type Row, report, type Sheet } from './output.ts';
import { type ClientCells, cellsOf, comparable, isOfClient, type Records, readRecords, type Who } from './records.ts';
import type { Fees, Trade } from './venue.ts';

const FILL_NAMES =
  'time client_address client_address_verified caller order_id token_id market outcome side price size value fee fee_source trade_id transaction_hash status recorded';

/** The report of fills. */
export const FILLS: Sheet = {
  names: FILL_NAMES.split(' '),
  columns: { time: 'time', side: 'side', price: 'price', size: 'size', value: 'value', fee: 'fee', status: 'status' },
  lines: {
    order_id: 'order',
    outcome: 'outcome',
    market: 'market',
    trade_id: 'trade',
    transaction_hash: 'transaction',
    fee_source: 'fee is',
  },
};

const CLIENTS: Sheet = {
  names: 'client_address client_address_verified recorded orders fills shares value fees'.split(' '),
  columns: { orders: 'orders', fills: 'fills', shares: 'shares', value: 'value', fees: 'fees' },
  lines: {},
};

/** Sums the fills that count. A fee that is not known is in no sum. */
function totalsOf(fills: readonly Fill[]) {
  const counted = fills.filter(isCounted);
  return {
    orders: new Set(counted.map(({ order_id }) => order_id)).size,
    fills: counted.length,
    shares: formatDecimal(sumOf(counted.map(({ size }) => size))),
    value: formatDecimal(sumOf(counted.map(({ value }) => value))),
    fees: formatDecimal(sumOf(counted.map(({ fee }) => fee ?? ZERO))),
  };
}

/** Sums the fills by client. A claimed address and a verified one are two clients: anybody may claim. */
function byClient(fills: readonly Fill[], clientOf: (orderId: string) => ClientCells): readonly Row[] {
  const keyOf = ({ order_id }: Fill) => {
    const { client_address, client_address_verified, recorded } = clientOf(order_id);
    return JSON.stringify([client_address && comparable(client_address), client_address_verified, recorded]);
  };
  return [...Map.groupBy(fills.filter(isCounted), keyOf).values()].flatMap((own) => {
    const [first] = own;
    return first ? [{ ...clientOf(first.order_id), ...totalsOf(own) }] : [];
  });
}

/** What a report of fills is about; times in milliseconds of the Unix epoch. */
export interface FillsOptions {
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly client: string | undefined;
  readonly byClient: boolean;
}

/** Returns what identifies the account's orders in a trade: its API key, its accounts, and those of recorded orders. */
export function oursOf({ access, venue }: Desk, { byId, makers }: Records<unknown>): Ours {
  const accounts = [access.address, access.funderAddress ?? access.address].map((address) => address.toLowerCase());
  return { isRecorded: (id) => byId.has(id), owner: venue.owner, makers: new Set([...makers, ...accounts]) };
}

/**
 * Finds the account's fills in trades. Trades without a recognisable order of the account are left over. The fees of a
 * market that cannot be read are not known, which is said.
 */
export async function findFills(desk: Desk, trades: readonly Trade[], ours: Ours) {
  const fees = new Map<string, Fees | null | undefined>();
  for (const { market } of trades) {
    if (fees.has(market)) continue;
    desk.terminal.progress(`${fees.size} markets`);
    fees.set(market, await orNote(desk, desk.venue.fees(market)));
  }
  const found = trades.map((trade) => ({ trade, fills: fillsIn(trade, ours, fees.get(trade.market) ?? null) }));
  return {
    fills: found.flatMap(({ fills }) => fills),
    foreign: found.filter(({ fills }) => fills.length === 0).map(({ trade }) => trade.id),
    areFeesRead: ![...fees.values()].includes(undefined),
  };
}

/** Writes what the sums leave out. */
function noteOmissions(desk: Desk, fills: readonly Fill[], foreign: readonly string[]): void {
  const omitted = fills.filter((fill) => !isCounted(fill));
  const noFee = fills.filter((fill) => isCounted(fill) && !fill.fee);
  if (omitted.length > 0) {
    const states = [...new Set(omitted.map(({ status }) => status))].join(', ');
    note(desk, `${plural(omitted.length, 'fill')} of trades that did not settle (${states}): in no sum.`);
  }
  if (noFee.length > 0) note(desk, `The fee of ${plural(noFee.length, 'fill')} is not known, and in no sum.`);
  if (foreign.length > 0) {
    note(
      desk,
      `No order of this account can be made out in ${plural(foreign.length, 'trade')}: ${foreign.join(', ')}.`,
    );
  }
}

/** Reports the fills of the account, one by one or by client. Returns 1 where some, or a fee, cannot be told. */
export async function reportFills(desk: Desk, options: FillsOptions): Promise<number> {
  const { access, venue, terminal, format } = desk;
  const { since, until, client, byClient: isByClient } = options;
  const trades = await venue.trades({ since, until }, (count) => terminal.progress(`${count} trades`));
  // After the trades, whose orders have a record then: both lists take minutes, and orders are placed meanwhile.
  const records = await readRecords(access, ({ client, caller }): Who => ({ client, caller }), terminal.progress);
  const { fills: all, foreign, areFeesRead } = await findFills(desk, trades, oursOf(desk, records));
  const clientOf = (orderId: string) => cellsOf(records.byId.get(orderId));
  const fills = all.filter(({ order_id }) => client === undefined || isOfClient(clientOf(order_id), client));
  terminal.progress('');
  const rows = isByClient ? byClient(fills, clientOf) : fills.map((fill) => ({ ...fill, ...clientOf(fill.order_id) }));
  terminal.out(report(rows, format, isByClient ? CLIENTS : FILLS));
  if (format === 'table') {
    const { orders, fills: count, shares, value, fees } = totalsOf(fills);
    terminal.out(
      `${plural(count, 'fill')} of ${plural(orders, 'order')}: ${shares} shares, value ${value}, fees ${fees}.\n`,
    );
  }
  noteOmissions(desk, fills, foreign);
  return foreign.length > 0 || !areFeesRead ? 1 : 0;
}
