import type { VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import type { OrderEvent } from './event.ts';
import { look, recentRecords, windowOf } from './look.ts';
import type { Account, Market, Shown } from './shown.ts';
import type { FollowState } from './state.ts';

/** Where a look reads. A call that rejects ends the look, which has changed nothing then. */
export interface Sources {
  open(): Promise<readonly VenueOrder[]>;
  trades(since: number): Promise<Pick<Shown, 'trades' | 'unreadable'>>;
  records(since: number): Promise<Shown['records']>;
  /** False where the recent records take as long as all of them: they are read for unknown orders only. */
  readonly listsRecent: boolean;
  markets(conditionIds: readonly string[]): Promise<Shown['markets']>;
  order(id: string): Promise<VenueOrder | null | undefined>;
}

/** The result of a look. */
export interface Looked {
  readonly state: FollowState;
  readonly events: readonly OrderEvent[];
}

const UNREAD: Market = { fees: undefined, question: null };
/** Orders that are looked up at once. */
const AT_ONCE = 10;

/** Reads what a look needs, and looks. */
export async function lookAt(sources: Sources, account: Account, before: FollowState, now: number): Promise<Looked> {
  const open = await sources.open();
  const window = windowOf(before, open, now);
  const { trades, unreadable } = await sources.trades(window.since);
  let recordsSince = sources.listsRecent ? recentRecords(before) : Number.POSITIVE_INFINITY;
  // After the trades, whose orders have a record then.
  let records: Shown['records'] = sources.listsRecent ? await sources.records(recordsSince) : new Map();
  const markets = new Map<string, Market>();
  const lookUps = new Map<string, VenueOrder | null | undefined>();
  for (;;) {
    const shown = { open, trades, unreadable, ...window, records, recordsSince, markets, lookUps };
    const { lacks, ...looked } = look(before, shown, account, now);
    if (!lacks) return looked;
    if (lacks.recordsSince < recordsSince) records = await sources.records(lacks.recordsSince);
    ({ recordsSince } = lacks);
    const found = lacks.markets.size > 0 ? await sources.markets([...lacks.markets]) : markets;
    for (const id of lacks.markets) markets.set(id, found.get(id) ?? UNREAD);
    const ids = [...lacks.lookUps];
    while (ids.length > 0)
      await Promise.all(ids.splice(0, AT_ONCE).map(async (id) => lookUps.set(id, await sources.order(id))));
  }
}
