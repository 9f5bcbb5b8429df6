import type { Fees } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Note, orNote } from './access.ts';
import type { AccountVenue } from './venue.ts';

const AT_ONCE = 10;

/** Reads something for each id; an unreadable value is `undefined`, after a sentence. */
export async function readEach<T>(note: Note, ids: Iterable<string>, read: (id: string) => Promise<T>) {
  const found = new Map<string, T | undefined>();
  const left = [...ids];
  while (left.length > 0)
    await Promise.all(left.splice(0, AT_ONCE).map(async (id) => found.set(id, await orNote(note, read(id)))));
  return found;
}

/** The fees of a market, `undefined` if they cannot be read, and its entry in the catalogue. */
export interface Market {
  readonly fees: Fees | null | undefined;
  readonly question: string | null;
  readonly isResolved: boolean | null;
}

/** Reads markets by their condition ids, with a sentence for each whose fees cannot be read. */
export async function readMarkets(
  venue: Pick<AccountVenue, 'markets' | 'fees'>,
  note: Note,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Market>> {
  const [found, fees] = await Promise.all([venue.markets(ids), readEach(note, ids, venue.fees)]);
  const marketOf = (id: string): Market => {
    const { question = null, isResolved = null } = found.get(id) ?? {};
    return { fees: fees.get(id), question, isResolved };
  };
  return new Map(ids.map((id) => [id, marketOf(id)]));
}
