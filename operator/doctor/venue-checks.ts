import { createMarketData } from '#venue/market-data';
import { AppError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import type { Call, Market } from '../../shared/venue/port.ts';
import { type Facts, type Finding, fail, ok, warn } from './facts.ts';
import { GO_ELSEWHERE } from './run.ts';

/** The doctor reports findings and writes no log. */
export const SILENT = createLog({ level: 'error', write: () => undefined });

const STATUS_PAGE = 'Look at https://status.polymarket.com.';

/** Noticeable: more than the venue's whole seconds explain. Useless: the venue may refuse requests with such a time. */
const CLOCK_MS = { noticeable: 2_000, useless: 30_000 } as const;

/** Compares the venue's clock with ours. */
export async function checkClock({ venue }: Facts, call: Call): Promise<Finding> {
  const skew = await venue.readClockSkew(call);
  const apart = Math.abs(skew);
  if (apart <= CLOCK_MS.noticeable) return ok('The clock of this machine agrees with the venue.');
  const message = `The clock of this machine is ${Math.round(apart / 1_000)} s ${skew > 0 ? 'behind' : 'ahead of'} the venue's.`;
  const fix = 'Have it set by NTP (timedatectl set-ntp true).';
  return apart > CLOCK_MS.useless ? fail(message, fix) : warn(message, fix);
}

/** Checks the place of this machine by the venue's list of countries. */
export async function checkRegion({ venue }: Facts, call: Call): Promise<Finding> {
  const { name, isRestricted } = await venue.readRegion(call);
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
      const names = conditionId === null ? undefined : await venue.readOutcomes(conditionId, call);
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

/** Asks the venue about the builder code that is signed into each order. */
export async function checkBuilder({ setup, venue }: Facts, call: Call): Promise<Finding> {
  const { builderCode } = setup.config;
  if (builderCode === undefined) return ok('No builder code is set.');
  if (await venue.isBuilderKnown(builderCode, call)) return ok('The venue knows the builder code.');
  const message = 'The venue does not know SERVICE_BUILDER_CODE: it would be signed into each order and earn nothing.';
  return warn(message, 'Compare it with the code on polymarket.com, Settings, Builder.');
}
