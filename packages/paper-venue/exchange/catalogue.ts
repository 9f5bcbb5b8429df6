import { CATEGORIES, INVENTIONS, type Invention } from './invented-markets.ts';
import type { Market, OutcomeIndex } from './market.ts';
import { fromDecimal, ONE } from './millionths.ts';
import { digest, hexOf, integers } from './seeded.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MIN_SIZE = 5n * ONE;
/** Bits 40 to 103: zero in every id of protocol v2 and "not occupied" by those of v1. */
const V2_NAMESPACE = (2n ** 64n - 1n) << 40n;

/** Returns true if an id lies in the namespace of protocol v2 position ids. */
export function isPositionId(id: bigint): boolean {
  return (id & V2_NAMESPACE) === 0n;
}

function tokenIds(seed: number, key: string): readonly [string, string] {
  const one = (outcome: string, attempt: number): string => {
    const id = BigInt(hexOf(32, 'token', seed, key, outcome, attempt));
    return isPositionId(id) ? one(outcome, attempt + 1) : id.toString();
  };
  return [one('yes', 0), one('no', 0)];
}

/** Creates v2 ids: module(8) base hash(128) arity(16) reserved(64)=0 resolution chain(16) condition(16) outcome(8). */
function positionIds(seed: number, key: string, negRisk: boolean): readonly [string, string] {
  const base = BigInt(hexOf(16, 'position', seed, key));
  const module = negRisk ? 2n : 1n;
  const yes = (module << 248n) | (base << 120n) | (2n << 104n) | (137n << 24n) | (1n << 8n);
  return [yes.toString(), (yes | 1n).toString()];
}

function conditionIds(seed: number, key: string, version: 'v1' | 'v2', yes: string) {
  if (version === 'v1') {
    const id = hexOf(32, 'condition', seed, key);
    return { gammaConditionId: id, conditionId: id };
  }
  const short = (BigInt(yes) >> 8n).toString(16).padStart(62, '0');
  return { gammaConditionId: `0x${short}`, conditionId: `0x${short}00` };
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function eventOf(seed: number, { question, negRiskEvent }: Invention) {
  const title = negRiskEvent ?? question;
  return { id: String(20_000 + (digest('event', seed, title).readUInt32BE(0) % 10_000)), slug: slugOf(title), title };
}

function feesOf(category: keyof typeof CATEGORIES): Market['fees'] {
  const fees = CATEGORIES[category];
  return fees && { ...fees, rate: fromDecimal(fees.rate) };
}

function inventMarket(seed: number, invention: Invention, index: number, { startedAt, stopsAt }: Dates): Market {
  const { question, mid, tick = '0.01', version = 'v1', category = 'geopolitics', negRiskEvent, flaw } = invention;
  const negRisk = negRiskEvent !== undefined;
  const draw = integers('market', seed, question);
  const ids = version === 'v1' ? tokenIds(seed, question) : positionIds(seed, question, negRisk);
  const conditions = conditionIds(seed, question, version, ids[0]);
  // Dates count from the day of the start, so that no market of a new venue has ended, whatever the year.
  const firstDay = startedAt - (startedAt % DAY_MS);
  const isQuiet = flaw !== undefined || invention.ended;
  return {
    id: String(700_000 + index * 7 + draw(0, 6)),
    slug: slugOf(question),
    question,
    event: eventOf(seed, invention),
    groupItemTitle: negRisk ? question.replace(/^Will (?:the )?| win the .*$/g, '') : '',
    outcomes: ['Yes', 'No'],
    tokenIds: ids,
    ...conditions,
    questionId: hexOf(32, 'question', seed, question),
    version,
    negRisk,
    negRiskMarketId: negRiskEvent === undefined ? null : hexOf(32, 'event', seed, negRiskEvent),
    tick: fromDecimal(tick),
    minSize: MIN_SIZE,
    mid: fromDecimal(mid),
    fees: feesOf(category),
    // Zero puts them at the end of the list of the most traded markets, behind those that can be traded.
    volume24h: BigInt(draw(1_000, 900_000)) * (isQuiet ? 0n : 10_000n),
    liquidity: BigInt(draw(100_000, 9_000_000)) * 10_000n,
    startsAt: firstDay - draw(10, 200) * DAY_MS,
    endsAt: invention.closesSoon ? stopsAt : firstDay + (invention.ended ? -1 : draw(30, 400)) * DAY_MS,
    quotedAt: firstDay - (digest('first change', conditions.conditionId).readUInt32BE(0) % HOUR_MS),
    stopsAt: invention.closesSoon ? stopsAt : null,
    closed: flaw === 'closed',
    // A closed market still says that it accepts orders: such records exist at the venue, and clients must not trust them.
    accepting: flaw !== 'not-accepting',
    bookEnabled: flaw !== 'no-book',
    idsPublished: flaw !== 'no-ids',
    withoutAsks: invention.withoutAsks ?? false,
  };
}

/** Invented markets, with look-up by id. */
export interface Catalogue {
  readonly markets: readonly Market[];
  byToken(tokenId: string): { readonly market: Market; readonly outcome: OutcomeIndex } | undefined;
  byCondition(conditionId: string): Market | undefined;
}

/** Times of a venue in epoch milliseconds: its first start, and the end of orders in the market that is about to close. */
interface Dates {
  readonly startedAt: number;
  readonly stopsAt: number;
}

/** Invents the markets of a seed: equal seeds give equal markets, but for dates, which count from the day of the start. */
export function createCatalogue(seed: number, dates: Dates): Catalogue {
  const markets = INVENTIONS.map((invention, index) => inventMarket(seed, invention, index, dates));
  const tokens = new Map<string, { market: Market; outcome: OutcomeIndex }>();
  for (const market of markets) {
    tokens.set(market.tokenIds[0], { market, outcome: 0 });
    tokens.set(market.tokenIds[1], { market, outcome: 1 });
  }
  const conditions = new Map(markets.map((market) => [market.conditionId, market]));
  return { markets, byToken: (id) => tokens.get(id), byCondition: (id) => conditions.get(id.toLowerCase()) };
}
