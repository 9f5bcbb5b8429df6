import * as z from 'zod/mini';
import { answerTo, readShape, refuserOf } from '../../shared/venue/polymarket/http/reads.ts';
import type { Transport } from '../../shared/venue/polymarket/http/transport.ts';
import { lenient } from '../../shared/venue/polymarket/wire.ts';
import type { Call } from '../../shared/venue/port.ts';

/**
 * Countries, and regions of countries, from which the venue's API takes no new orders: those that it blocks and those
 * that may only close positions (https://docs.polymarket.com/api-reference/geoblock, October 2026). Not those in which the
 * website alone is restricted, such as Ireland and Japan.
 */
const RESTRICTED: ReadonlySet<string> = new Set(
  (
    'IR SY CU KP UA-43 UA-14 UA-09 ' +
    'AU BY BE BI BR CA-BC CA-ON CA-AB CA-QC CF CD ET FR DE IQ IT LB LY MM NZ NI PL RU SG SO SK SS SD TW TH GB US UM ' +
    'VE YE ZW'
  ).split(' '),
);

// `blocked` is left out on purpose: it is the rule of the website, and true where the API takes orders.
const geoblock = z.object({
  country: z.string().check(z.regex(/^[A-Z]{2}$/)),
  region: lenient(z.string().check(z.regex(/^[A-Z0-9]{1,3}$/))),
});

/**
 * `GET /api/geoblock` of the website: the region in which the venue sees this machine. Its name is that of ISO 3166: the
 * country alone, or with its region behind a hyphen, such as CA-ON. Errors: see `MarketData`.
 */
export async function readRegion(site: Transport, call: Call) {
  const spec = { name: 'read-region', method: 'GET', path: '/api/geoblock' } as const;
  const { country, region } = await readShape(site, spec, geoblock, call);
  const name = region ? `${country}-${region}` : country;
  return { name, isRestricted: RESTRICTED.has(country) || RESTRICTED.has(name) };
}

/** The answer to an empty order: `taken` from here, or refused by region or firewall; `unclear` proves neither. */
export type OrdersFromHere = 'taken' | 'region' | 'firewall' | 'unclear';

/**
 * `POST /order` of the CLOB, once, with an empty body and without credentials: no order can come of it. The venue checks
 * the region first, so that a 400 or a 401 shows that it takes orders from here
 * (https://docs.polymarket.com/api-reference/geoblock). Errors: `venue_timeout`, `venue_unavailable`, `venue_error`.
 */
export async function probeOrders(clob: Transport, call: Call): Promise<OrdersFromHere> {
  const spec = { name: 'probe-orders', method: 'POST', path: '/order', body: '{}' } as const;
  const response = await answerTo(clob.send(spec, call));
  const { status, isJson } = response;
  if (isJson && (status === 400 || status === 401)) return 'taken';
  return status === 403 ? refuserOf(response) : 'unclear';
}
