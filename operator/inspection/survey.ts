import { createHash } from 'node:crypto';
import { isMultipleOf, parseDecimal } from '../../shared/decimal.ts';
import { AppError } from '../../shared/errors.ts';
import {
  listMarketPage,
  MAX_PAGE_SIZE,
  type MarketParse,
  WITHOUT_IDS,
} from '../../shared/venue/polymarket/calls/list-markets.ts';
import { readBook } from '../../shared/venue/polymarket/calls/read-book.ts';
import type { Transport } from '../../shared/venue/polymarket/http/transport.ts';
import { protocolOf } from '../../shared/venue/polymarket/wire.ts';
import type { Book, Call, Market } from '../../shared/venue/port.ts';

/** Books that are looked at, and how many at once: far below the venue's limit of 150 a second. */
const BOOKS = 20;
const AT_ONCE = 5;

/** The share of markets that may be without ids: the venue publishes some later. */
const MAX_WITHOUT_IDS = 0.1;

function isOnGrid({ bids, asks, tickSize }: Book): boolean {
  const tick = parseDecimal(tickSize);
  return [bids, asks].flat().every(({ price }) => {
    const decimal = parseDecimal(price);
    return decimal !== undefined && tick !== undefined && isMultipleOf(decimal, tick);
  });
}

/**
 * Returns true if the hash is the SHA-1 of the raw answer, with an empty hash in it. Undocumented; seen on recorded books
 * of both protocols.
 */
function hasItsHash(text: string, { hash }: Book): boolean {
  const unhashed = text.trim().replace(/"hash":"[^"]*"/, '"hash":""');
  return createHash('sha1').update(unhashed).digest('hex') === hash;
}

/** Reads one book and returns what contradicts the assumptions of this program. */
async function inspectBook(clob: Transport, tokenId: string, call: Call): Promise<readonly string[]> {
  try {
    const { book, version, text } = await readBook(clob, tokenId, call);
    return [
      isOnGrid(book) ? [] : 'books with a price off their tick',
      hasItsHash(text, book) ? [] : 'books whose hash is not that of their text',
      version === undefined || version === protocolOf(tokenId) ? [] : 'books of another protocol than their token',
    ].flat();
  } catch (error) {
    // The catalogue lags behind: a market may have closed since.
    if (error instanceof AppError && error.code === 'unknown_token') return [];
    if (error instanceof AppError) return [error.code === 'venue_error' ? 'books not usable' : 'books not answered'];
    throw error;
  }
}

/** Chooses a token of each kind of market first, then of the most traded. */
function chooseTokens(markets: readonly Market[]): readonly string[] {
  const kinds = new Map<string, string>();
  const tokens = markets.flatMap(({ outcomes, negRisk, tickSize }) => {
    const tokenId = outcomes[0]?.tokenId;
    if (tokenId === undefined) return [];
    const kind = `${protocolOf(tokenId)} ${negRisk} ${tickSize}`;
    if (!kinds.has(kind)) kinds.set(kind, tokenId);
    return [tokenId];
  });
  return [...new Set([...kinds.values(), ...tokens])].slice(0, BOOKS);
}

/** Lists why markets are left out; those that only wait for their ids are as they should be. */
function reasonsOf(markets: readonly MarketParse[]): readonly string[] {
  const reasons = markets.flatMap(({ leftOut }) => leftOut?.reason ?? []);
  const waiting = reasons.filter((reason) => reason === WITHOUT_IDS).length;
  const areFew = waiting <= markets.length * MAX_WITHOUT_IDS;
  return reasons
    .filter((reason) => !(areFew && reason === WITHOUT_IDS))
    .map((reason) => `markets left out because ${reason}`);
}

/**
 * Holds a page of the most traded markets and 20 of their books against our own parsers. Returns how many they were, and
 * the differences from what this program takes for granted, with how often each was seen. Errors: see `MarketData`.
 */
export async function surveyVenue(gamma: Transport, clob: Transport, call: Call) {
  const { markets } = await listMarketPage(gamma, { size: MAX_PAGE_SIZE, cursor: undefined }, call);
  const tokens = chooseTokens(markets.flatMap(({ market }) => market ?? []));
  const found = [...reasonsOf(markets)];
  for (let start = 0; start < tokens.length; start += AT_ONCE) {
    const books = tokens.slice(start, start + AT_ONCE).map((tokenId) => inspectBook(clob, tokenId, call));
    found.push(...(await Promise.all(books)).flat());
  }
  const byWhat = Map.groupBy(found, (what) => what);
  const differences = new Map([...byWhat].map(([what, { length }]) => [what, length]));
  return { markets: markets.length, books: tokens.length, differences };
}
