import * as z from 'zod/mini';
import type { Call } from '../../port.ts';
import { readShape } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';

const version = z.object({ version: z.number() });

/**
 * `GET /version` of the CLOB (https://docs.polymarket.com, "migrate"): returns the version of its signing domain. Errors:
 * those of `MarketData`.
 */
export async function readVersion(clob: Transport, call: Call): Promise<number> {
  const spec = { name: 'read-version', method: 'GET', path: '/version' } as const;
  return (await readShape(clob, spec, version, call)).version;
}
