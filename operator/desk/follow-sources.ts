import type { OrderRecord } from '../../shared/orders/record.ts';
import { lookAt, type Sources } from '../follow/read.ts';
import type { Host, MakeLook } from '../follow/run.ts';
import type { Market, RecordedOrder } from '../follow/shown.ts';
import { type Access, DeskError } from './access.ts';
import { oursOf } from './fills.ts';
import { cellsOf, lagOf, readRecords } from './records.ts';
import { type DeskVenue, openVenue } from './venue.ts';

/** Orders of another wallet, which had the store before, are none that this one has placed. */
function recordedOrder(record: OrderRecord, { address }: Access): RecordedOrder {
  const { terms, conditionId: market, signedAt, state } = record;
  const { tokenId: token_id, side, price, size, expiresAt } = terms;
  const { recorded: _, ...client } = cellsOf(record);
  const cells = { ...client, signedAt, expiresAt, market, token_id, side, price, size };
  const isOwn = record.walletAddress.toLowerCase() === address.toLowerCase();
  return { cells, isPlaced: isOwn && state === 'finished' && record.answer.result === 'placed' };
}

function sourcesOf(
  access: Access,
  venue: DeskVenue,
  orNothing: <T>(work: Promise<T>) => Promise<T | undefined>,
): Sources {
  const known = new Map<string, Market>();
  return {
    listsRecent: lagOf(access) !== undefined,
    open: () => venue.openOrders(),
    trades: (since) => venue.trades({ since }),
    async records(since) {
      const read = await readRecords(access, (record) => recordedOrder(record, access), since);
      return read.byId;
    },
    async markets(ids) {
      const missing = ids.filter((id) => !known.has(id));
      const [questions, fees] = await Promise.all([
        venue.markets(missing),
        Promise.all(missing.map((id) => orNothing(venue.fees(id)))),
      ]);
      const read = missing.map((id, index) => {
        const market = { fees: fees[index], question: questions.get(id)?.question ?? null };
        // What cannot be read is read again.
        if (market.fees !== undefined && market.question !== null) known.set(id, market);
        return [id, market] as const;
      });
      return new Map([...known, ...read]);
    },
    order: (id) => orNothing(venue.order(id)),
  };
}

/** Opens the looks of a follower, and with the first one the venue. */
export function openLooks(access: Access, note: Host['note']): MakeLook {
  /** Returns `undefined` after a sentence where the venue or the records cannot be read. */
  async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      note(error.message);
      return undefined;
    }
  }
  let venue: DeskVenue | undefined;
  let sources: Sources | undefined;
  return async (state, now) => {
    venue ??= await orNothing(openVenue(access));
    if (!venue) return undefined;
    sources ??= sourcesOf(access, venue, orNothing);
    const { owner, makers } = oursOf({ access, venue }, { byId: new Map(), makers: new Set() });
    return orNothing(lookAt(sources, { owner, makers, recordLagMs: lagOf(access) ?? 0 }, state, now));
  };
}

/** Names the wallet and the venue that a follower is about. */
export function accountOf({ address, clobUrl }: Access): string {
  return `${address.toLowerCase()} ${new URL(clobUrl).host}`;
}
