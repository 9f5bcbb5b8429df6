import type { OrderRecord } from '../../shared/orders/record.ts';
import type { VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Access, type Note, orNote } from '../account/access.ts';
import { type Market, readEach, readMarkets } from '../account/markets.ts';
import { cellsOf, openAccountRecords } from '../account/records.ts';
import { type AccountVenue, openVenue } from '../account/venue.ts';
import { look, recentRecords, windowOf } from './look.ts';
import type { Recognition, RecordedOrder } from './shown.ts';
import type { FollowState } from './state.ts';

/** The sources of a look. A `DeskError` of a call ends the look, and nothing has changed. */
export interface Sources extends Pick<AccountVenue, 'restingOrders' | 'trades' | 'markets' | 'fees' | 'order'> {
  /** Lists the records that were signed since a time. */
  recentRecords(since: number): Promise<ReadonlyMap<string, RecordedOrder>>;
  records(orderIds: readonly string[]): Promise<ReadonlyMap<string, RecordedOrder>>;
}

export type Looked = Omit<ReturnType<typeof look>, 'lacks'>;

/** Makes a look, or returns `undefined` after a sentence if it cannot be made. */
export type MakeLook = (state: FollowState, now: number) => Promise<Looked | undefined>;

export function createLooks(sources: Sources, account: Recognition, note: Note) {
  const known = new Map<string, Market>();

  /** Adds the markets to those that are known. What cannot be read is read again by the next look. */
  async function addMarkets(markets: Map<string, Market>, ids: readonly string[]): Promise<void> {
    for (const [id, market] of await readMarkets(sources, note, ids)) {
      markets.set(id, market);
      if (market.fees !== undefined && market.question !== null) known.set(id, market);
    }
  }

  return async (before: FollowState, now: number): Promise<Looked> => {
    const open = await sources.restingOrders();
    const window = windowOf(before, open, now);
    const { trades, unreadable } = await sources.trades({ since: window.since });
    // After the trades, whose orders have a record then.
    const records = new Map<string, RecordedOrder | null>(await sources.recentRecords(recentRecords(before)));
    const markets = new Map(known);
    const lookUps = new Map<string, VenueOrder | null | undefined>();
    for (;;) {
      const shown = { open, trades, unreadable, ...window, records, markets, lookUps };
      const { lacks, ...looked } = look(before, shown, account, now);
      if (!lacks) return looked;
      const ids = [...lacks.records];
      const found = ids.length > 0 ? await sources.records(ids) : undefined;
      for (const id of ids) records.set(id, found?.get(id) ?? null);
      if (lacks.markets.size > 0) await addMarkets(markets, [...lacks.markets]);
      for (const [id, found] of await readEach(note, lacks.lookUps, sources.order)) lookUps.set(id, found);
    }
  };
}

/** The order of another wallet that used the store does not count as placed. */
function recordedOrder(record: OrderRecord, { address }: Access): RecordedOrder {
  const { terms, conditionId: market, signedAt, state } = record;
  const { tokenId: token_id, side, price, size, expiresAt } = terms;
  const { recorded: _, ...client } = cellsOf(record);
  const cells = { ...client, signedAt, expiresAt, market, token_id, side, price, size };
  const isOwn = record.walletAddress.toLowerCase() === address.toLowerCase();
  return { cells, isPlaced: isOwn && state === 'finished' && record.answer.result === 'placed' };
}

async function openSources(access: Access, note: Note) {
  const venue = await openVenue(access);
  const { lagMs, list, find } = await openAccountRecords(access);
  const pick = (record: OrderRecord) => recordedOrder(record, access);
  const recentRecords: Sources['recentRecords'] = async (since) => (await list(since, pick)).byId;
  const records: Sources['records'] = async (ids) => (await find(ids, pick)).byId;
  return createLooks({ ...venue, recentRecords, records }, { ...venue.own, recordLagMs: lagMs }, note);
}

/** Opens the looks of a follower; the first look opens the venue. */
export function openLooks(access: Access, note: Note): MakeLook {
  let looks: ReturnType<typeof createLooks> | undefined;
  return async (state, now) => {
    looks ??= await orNote(note, openSources(access, note));
    return looks && orNote(note, looks(state, now));
  };
}

/** Names the wallet and the venue of a follower. */
export function accountOf({ address, clobUrl }: Access): string {
  return `${address.toLowerCase()} ${new URL(clobUrl).host}`;
}
