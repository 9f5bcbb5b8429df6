import type { Log } from '../../log.ts';
import type { MarketData } from '../port.ts';

export interface MarketDataSettings {
  readonly gammaUrl: string;
  readonly clobUrl: string;
}

/** Market data of the venue: the catalogue from Gamma, the books from the CLOB. */
export function createMarketData(settings: MarketDataSettings, log: Log): MarketData {
  throw new Error('not there yet');
}
