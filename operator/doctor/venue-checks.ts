import { createMarketData } from '#venue/market-data';
import { AppError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import type { Call, Market } from '../../shared/venue/port.ts';
import { GO_ELSEWHERE } from '../explain.ts';
import { type Facts, type Finding, fail, ok } from './facts.ts';

/** The doctor reports findings and writes no log. */
const SILENT = createLog({ level: 'error', write: () => undefined });

const STATUS_PAGE = 'Look at https://status.polymarket.com.';

/** Checks the place of this machine by the venue's list of countries. */
export async function checkRegion({ venue, siteUrl }: Facts, call: Call): Promise<Finding> {
  const { name, isRestricted } = await venue.region(siteUrl, call);
  return isRestricted
    ? fail(`The venue sees this machine in ${name}, from where it takes no new orders.`, GO_ELSEWHERE)
    : ok(`The venue sees this machine in ${name}, from where it takes orders.`);
}

function isSame(name: string, other = ''): boolean {
  return name.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Compares the outcomes of the catalogue with those of the order book. */
async function compareOutcomes(markets: readonly Market[], { venue }: Facts, call: Call): Promise<Finding> {
  const compared = await Promise.all(
    markets.map(async ({ id, conditionId, outcomes }) => {
      const names = conditionId === null ? undefined : (await venue.marketInfo(conditionId, call))?.outcomes;
      const isEqual = outcomes.every(({ tokenId, name }) => name === null || isSame(name, names?.get(tokenId)));
      return { id, isEqual: names === undefined || isEqual };
    }),
  );
  const differing = compared.filter(({ isEqual }) => !isEqual).map(({ id }) => id);
  if (differing.length === 0) return ok('Markets and order books can be read, and agree on the outcomes.');
  return fail(
    `Catalogue and order book name the outcomes of market ${differing.join(', ')} differently: a buyer of Yes would get No.`,
    'Place no order in these markets. Try again later, and look for an update of this service.',
  );
}

/** Markets that are read, the most traded ones: the catalogue lags, and the first may have closed. */
const MARKETS_READ = 10;

/** Lists markets and reads a book as the service does, and compares the outcomes of both. */
export async function checkReads(facts: Facts, call: Call): Promise<Finding> {
  const marketData = createMarketData(facts.setup.config, SILENT);
  const { markets } = await marketData.listMarkets(MARKETS_READ, call);
  for (const { outcomes } of markets) {
    try {
      await marketData.readBook(outcomes[0]?.tokenId ?? '', call);
      return await compareOutcomes(markets, facts, call);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unknown_token')) throw error;
    }
  }
  return fail('The venue lists no market that has an order book.', STATUS_PAGE);
}
