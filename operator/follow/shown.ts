import type { Trade, VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Ours } from '../account/fills.ts';
import type { Market } from '../account/markets.ts';
import type { Fact } from './event.ts';
import type { Followed, FollowState } from './state.ts';

// What a look is made of. Order ids are in lower case, times in milliseconds of the Unix epoch.

type Client = 'client_address' | 'client_address_verified' | 'caller';
type Terms = 'signedAt' | 'expiresAt' | 'market' | 'token_id' | 'side' | 'price' | 'size';

export interface RecordedOrder {
  readonly cells: Pick<Followed, Client | Terms>;
  readonly isPlaced: boolean;
}

export interface Shown {
  /** The orders that rest. An id of another form marks a row without one. */
  readonly open: readonly VenueOrder[];
  /** The trades of the window, each once, the oldest first, and the ids of rows that cannot be read. */
  readonly trades: readonly Trade[];
  readonly unreadable: readonly string[];
  readonly since: number;
  /** False where only the last minute of the window was read. */
  readonly isWhole: boolean;
  /** Recent records, and those of orders that were asked for; `null` for an order without one. */
  readonly records: ReadonlyMap<string, RecordedOrder | null>;
  readonly markets: ReadonlyMap<string, Market>;
  /** `null` for an order that the venue does not know, `undefined` for an answer that cannot be read. */
  readonly lookUps: ReadonlyMap<string, VenueOrder | null | undefined>;
}

export interface Recognition extends Pick<Ours, 'owner' | 'makers'> {
  /** How long a new record may be missing in the list of records. */
  readonly recordLagMs: number;
}

/** A look in progress: the state that it changes, the facts so far, and what it lacks. */
export interface Look {
  readonly state: FollowState;
  readonly shown: Shown;
  readonly now: number;
  /** The orders that rest, by their ids. */
  readonly open: ReadonlyMap<string, VenueOrder>;
  readonly facts: Fact[];
  readonly lacks: Readonly<Record<'records' | 'markets' | 'lookUps', Set<string>>>;
}
