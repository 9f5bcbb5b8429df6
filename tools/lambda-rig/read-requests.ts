import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { FOREIGN_ORIGIN, get, LISTED_ORIGIN, type Row, UNKNOWN_TOKEN } from './requests.ts';

/** Requests that every deployment answers; `token` has a book. */
export function readRows(token: string): readonly Row[] {
  const book = `/v1/book/${token}`;
  const onBook = (fault: FaultOrder['fault'], times = 9) => [{ fault, path: '/book', times }];
  const onMarkets = (fault: FaultOrder['fault']) => [{ fault, path: '/markets', times: 9 }];
  return [
    { name: 'health', request: get('/health'), status: 200 },
    { name: 'health to a listed origin', request: get('/health', { origin: LISTED_ORIGIN }), status: 200 },
    { name: 'health to another origin', request: get('/health', { origin: FOREIGN_ORIGIN }), status: 200 },
    {
      name: 'health to a client that names an account itself',
      request: get('/health', {
        'x-deployed-wallet-address': `0x${'1'.repeat(40)}`,
        'x-deployed-funder-address': `0x${'2'.repeat(40)}`,
      }),
      status: 200,
    },
    { name: 'HEAD of health', request: get('/health', {}, 'HEAD'), status: 200 },
    { name: 'DELETE of health', request: get('/health', {}, 'DELETE'), status: 405, code: 'method_not_allowed' },
    { name: 'OPTIONS of markets', request: get('/v1/markets', {}, 'OPTIONS'), status: 204 },
    { name: 'preflight of a book', request: get(book, { origin: FOREIGN_ORIGIN }, 'OPTIONS'), status: 204 },
    { name: 'markets', request: get('/v1/markets?limit=3', { origin: FOREIGN_ORIGIN }), status: 200 },
    { name: 'markets of limit 0', request: get('/v1/markets?limit=0'), status: 400, code: 'invalid_request' },
    { name: 'markets of limt', request: get('/v1/markets?limt=5'), status: 400, code: 'invalid_request' },
    { name: 'PUT of markets', request: get('/v1/markets', {}, 'PUT'), status: 405, code: 'method_not_allowed' },
    { name: 'book', request: get(book), status: 200 },
    { name: 'HEAD of a book', request: get(book, {}, 'HEAD'), status: 200 },
    { name: 'POST of a book', request: get(book, {}, 'POST'), status: 405, code: 'method_not_allowed' },
    { name: 'book of 07', request: get('/v1/book/07'), status: 400, code: 'invalid_request' },
    { name: 'book of an encoded digit', request: get('/v1/book/%31'), status: 404, code: 'unknown_token' },
    { name: 'book of nobody', request: get(`/v1/book/${UNKNOWN_TOKEN}`), status: 404, code: 'unknown_token' },
    { name: 'a path of nobody', request: get('/v1/nothing'), status: 404, code: 'not_found' },
    { name: 'the root', request: get('/'), status: 404, code: 'not_found' },
    { name: 'a book without token', request: get('/v1/book/'), status: 404, code: 'not_found' },
    { name: 'a slash too many', request: get('/v1/markets/'), status: 404, code: 'not_found' },
    { name: 'POST of nothing', request: get('/v2/orders', {}, 'POST'), status: 404, code: 'not_found' },
    { name: 'OPTIONS of nothing', request: get('/nothing', {}, 'OPTIONS'), status: 404, code: 'not_found' },
    {
      name: 'markets while the venue fails',
      request: get('/v1/markets'),
      faults: onMarkets('error-500'),
      status: 502,
      code: 'venue_error',
    },
    {
      name: 'book while the edge fails',
      request: get(book),
      faults: onBook('edge-502'),
      status: 502,
      code: 'venue_error',
    },
    { name: 'book as plain text', request: get(book), faults: onBook('wrong-type'), status: 502, code: 'venue_error' },
    { name: 'book cut in half', request: get(book), faults: onBook('truncated'), status: 502, code: 'venue_error' },
    {
      name: 'book while the venue is full',
      request: get(book),
      faults: onBook('rate-limit'),
      status: 429,
      code: 'rate_limited',
    },
    {
      name: 'book behind the firewall',
      request: get(book),
      faults: onBook('firewall'),
      status: 502,
      code: 'venue_refused_service',
    },
    {
      name: 'book during a restart',
      request: get(book),
      faults: onBook('restart'),
      status: 503,
      code: 'venue_unavailable',
    },
    { name: 'book after one lost connection', request: get(book), faults: onBook('reset', 1), status: 200 },
  ];
}
