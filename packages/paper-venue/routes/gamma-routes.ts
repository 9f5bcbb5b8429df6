import type { Market } from '../exchange/market.ts';
import { json, type PaperRequest, type Reply, type Route } from '../http/router.ts';
import type { VenueState } from '../state/state.ts';
import { type GammaRecord, gammaRecord } from './gamma-record.ts';

const DEFAULT_LIMIT = 20;
/** Largest page; the venue clamps larger limits silently. */
const MAX_LIMIT = 100;

/** Fields that `order` may name; the venue knows them in camelCase only. */
const SORTABLE: Readonly<Record<string, (record: GammaRecord) => number | string>> = {
  id: (record) => Number(record.id),
  slug: (record) => record.slug,
  startDate: (record) => record.startDate,
  endDate: (record) => record.endDate,
  createdAt: (record) => record.createdAt,
  liquidityNum: (record) => record.liquidityNum,
  volumeNum: (record) => record.volumeNum,
  volume24hr: (record) => record.volume24hr,
  volume1wk: (record) => record.volume1wk,
  volume1mo: (record) => record.volume1mo,
  volume1yr: (record) => record.volume1yr,
};

function invalid(text: string): Reply {
  return json({ type: 'validation error', error: text }, 422);
}

function wanted(market: Market, query: URLSearchParams): boolean {
  const among = (name: string, values: readonly string[]) => {
    const asked = query.getAll(name);
    return asked.length === 0 || asked.some((value) => values.includes(value));
  };
  const [v1, v2] = market.version === 'v1' ? [market.tokenIds, []] : [[], market.tokenIds];
  // Closed markets are left out unless they are asked for, even when looked up by id.
  return (
    market.closed === (query.get('closed') === 'true') &&
    among('clob_token_ids', market.idsPublished ? v1 : []) &&
    among('position_ids', v2) &&
    among('condition_ids', [market.gammaConditionId, market.conditionId]) &&
    among('id', [market.id]) &&
    among('slug', [market.slug])
  );
}

function compare(left: number | string, right: number | string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function sorted(records: readonly GammaRecord[], query: URLSearchParams): readonly GammaRecord[] {
  const keys = (query.get('order') ?? 'id').split(',').map((field) => SORTABLE[field]);
  const sign = query.get('ascending') === 'true' || !query.has('order') ? 1 : -1;
  const by = (left: GammaRecord, right: GammaRecord) =>
    keys.reduce((order, key) => order || (key ? sign * compare(key(left), key(right)) : 0), 0);
  return records.toSorted((left, right) => by(left, right) || Number(left.id) - Number(right.id));
}

/** Finds the first mistake in a query; undefined when there is none. */
function mistake(query: URLSearchParams): string | undefined {
  const limit = query.get('limit');
  if (limit !== null && !/^\d{1,9}$/.test(limit)) return 'limit must be a number';
  if (query.has('offset')) return 'offset is not supported, use after_cursor';
  for (const flag of ['closed', 'ascending']) {
    if (query.has(flag) && !/^(?:true|false)$/.test(query.get(flag) ?? '')) return `${flag} must be a boolean`;
  }
  const unknown = query
    .get('order')
    ?.split(',')
    .find((field) => !Object.hasOwn(SORTABLE, field));
  if (unknown !== undefined) return `order fields are not valid: ${unknown}`;
  const cursor = query.get('after_cursor');
  return cursor !== null && !/^\d{1,9}$/.test(decoded(cursor)) ? 'after_cursor is not valid' : undefined;
}

function decoded(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

function keyset(state: VenueState, { query, now }: PaperRequest): Reply {
  const wrong = mistake(query);
  if (wrong !== undefined) return invalid(wrong);
  const { exchange } = state;
  const markets = exchange.catalogue.markets.filter((market) => wanted(market, query));
  const records = sorted(
    markets.map((market) => gammaRecord(exchange.floor(market.id), now)),
    query,
  );
  const limit = Math.min(Number(query.get('limit') ?? DEFAULT_LIMIT), MAX_LIMIT);
  const cursor = query.get('after_cursor');
  const end = (cursor === null ? 0 : Number(decoded(cursor))) + limit;
  const next = limit > 0 && end < records.length ? { next_cursor: Buffer.from(String(end)).toString('base64url') } : {};
  return json({ markets: records.slice(end - limit, end), ...next });
}

/** Route of Gamma, the venue's list of markets. */
export function gammaRoutes(state: VenueState): readonly Route[] {
  return [['GET', '/markets/keyset', (request) => keyset(state, request)]];
}
