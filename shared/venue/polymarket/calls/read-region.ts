import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { readShape } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';
import { lenient } from '../wire.ts';

/**
 * Countries, and regions of countries, from which the venue's API takes no new orders: those that it blocks and those
 * that may only close positions (https://docs.polymarket.com/api-reference/geoblock, October 2026). Countries in which
 * only the website is restricted, such as Ireland and Japan, are not listed.
 */
const RESTRICTED: ReadonlySet<string> = new Set(
  (
    'IR SY CU KP UA-43 UA-14 UA-09 ' +
    'AU BY BE BI BR CA-BC CA-ON CA-AB CA-QC CF CD ET FR DE IQ IT LB LY MM NZ NI PL RU SG SO SK SS SD TW TH GB US UM ' +
    'VE YE ZW'
  ).split(' '),
);

// `blocked` is the rule of the website, and true in countries from which the API takes orders.
const geoblock = z.object({
  country: z.string().check(z.regex(/^[A-Z]{2}$/)),
  region: lenient(z.string().check(z.regex(/^[A-Z0-9]{1,3}$/))),
});

/**
 * `GET /api/geoblock` of the website: the region in which the venue sees this machine. Its name is that of ISO 3166: the
 * country, or the country with its region behind a hyphen, such as CA-ON. Errors: see `MarketData`.
 */
export async function readRegion(site: Transport, call: Call) {
  const spec = { name: 'read-region', method: 'GET', path: '/api/geoblock' } as const;
  const { country, region } = await readShape(site, spec, geoblock, call);
  const name = region ? `${country}-${region}` : country;
  return { name, isRestricted: RESTRICTED.has(country) || RESTRICTED.has(name) };
}
