import { createMarketData } from '#venue/market-data';
import { compareDecimals, formatDecimal, multiplyDecimals, parseDecimal } from '../../shared/decimal.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../../shared/settings/config.ts';
import type { Book, Call } from '../../shared/venue/port.ts';
import { type NotedCollateral, SIGNED_VERSIONS } from '../inspection/inspection.ts';
import type { Asking } from './account-checks.ts';
import { type CheckResult, fail, GO_ELSEWHERE, ok, warn } from './run.ts';

const STATUS_PAGE = 'Look at https://status.polymarket.com.';

/** Noticeable: above what the venue's whole seconds explain. Useless: it may refuse what is dated so far off. */
const CLOCK_MS = { noticeable: 2_000, useless: 30_000 } as const;

/** Compares the venue's clock with ours. */
export async function checkClock({ venue, call }: Asking): Promise<CheckResult> {
  const skew = await venue.readClockSkew(call);
  const apart = Math.abs(skew);
  if (apart <= CLOCK_MS.noticeable) return ok('The clock of this machine agrees with the venue.');
  const message = `The clock of this machine is ${Math.round(apart / 1_000)} s ${skew > 0 ? 'behind' : 'ahead of'} the venue's.`;
  const fix = 'Have it set by NTP (timedatectl set-ntp true).';
  return apart > CLOCK_MS.useless ? fail(message, fix) : warn(message, fix);
}

/** Asks the venue for the version of its signing domain. */
export async function checkVersion({ venue, call }: Asking): Promise<CheckResult> {
  const version = await venue.readVersion(call);
  if (SIGNED_VERSIONS.includes(version)) return ok(`The venue's version is ${version}.`);
  const known = SIGNED_VERSIONS.join(' and ');
  return warn(`The venue's version is ${version}; this service signs for ${known}.`, 'Update this service.');
}

/** Judges by the list of countries alone. */
async function judgePlace({ venue, call }: Asking): Promise<CheckResult> {
  const { name, isRestricted } = await venue.readRegion(call);
  return isRestricted
    ? fail(`The venue sees this machine in ${name}, from where it takes no new orders.`, GO_ELSEWHERE)
    : ok(`The venue sees this machine in ${name}, from where it takes orders.`);
}

/** Judges by the answer to an empty order, which counts more than the list. */
function judgeProbe(answer: 'taken' | 'region' | 'firewall', { finding: listed }: CheckResult): CheckResult {
  if (answer === 'firewall') {
    return fail('The firewall of the venue refuses orders of this machine.', 'Run the service from another network.');
  }
  if (answer === 'region') {
    const but = listed.status === 'ok' ? ' though its list of countries does not say so' : '';
    return fail(`The venue refuses new orders from here${but}.`, GO_ELSEWHERE);
  }
  if (listed.status === 'warn') return ok('The venue has just shown that it takes orders of this machine.');
  if (listed.status === 'ok') return ok(`${listed.message} It has just shown so.`);
  const message = `${listed.message} It has just shown that it takes them all the same.`;
  return warn(message, 'Read its terms: https://docs.polymarket.com/api-reference/geoblock.');
}

/** Asks from which place the venue sees this machine; with `probe` also if it takes orders from there. */
export async function checkRegion(probe: boolean, asking: Asking): Promise<CheckResult> {
  const place = judgePlace(asking);
  if (!probe) return place;
  const [answer, listed] = await Promise.all([
    asking.venue.probeOrders(asking.call),
    place.catch(() => warn('The website does not tell the country.', STATUS_PAGE)),
  ]);
  if (answer !== 'unclear') return judgeProbe(answer, listed);
  return listed.finding.status === 'ok' ? warn('The venue did not say if it takes orders.', STATUS_PAGE) : listed;
}

/** Markets that are tried: the catalogue lags, and the first may have closed. */
const MARKETS_TRIED = 3;

/** Lists markets and reads a book as the service does. */
export async function checkReads(config: Config, log: Log, call: Call): Promise<CheckResult<Book>> {
  const marketData = createMarketData(config, log);
  const { markets } = await marketData.listMarkets(MARKETS_TRIED, call);
  for (const { outcomes } of markets) {
    const tokenId = outcomes[0]?.tokenId ?? '';
    try {
      return ok('Markets and order books can be read.', await marketData.readBook(tokenId, call));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unknown_token')) throw error;
    }
  }
  return fail('The venue lists no market that has an order book.', STATUS_PAGE);
}

/** Holds the smallest order of the most traded market against the caps and, where they are known, the funds. */
export function checkSmallestOrder(
  { maxOrderNotional, maxDailyNotional }: Config,
  { minOrderSize, tickSize, asks }: Book,
  noted: NotedCollateral | undefined,
): CheckResult {
  const [size, tick] = [parseDecimal(minOrderSize), parseDecimal(tickSize)];
  if (!size || !tick) return warn('The most traded market has no usable rules.', STATUS_PAGE);
  const ask = parseDecimal(asks[0]?.price ?? '');
  const lowest = multiplyDecimals(size, tick);
  const atAsk = ask && multiplyDecimals(size, ask);
  const price = `${formatDecimal(lowest)} pUSD at the lowest price`;
  const costs = atAsk ? `${price} and ${formatDecimal(atAsk)} pUSD at the best ask` : price;
  const smallest = `the smallest order of the most traded market (${minOrderSize} shares: ${costs})`;
  const caps = [
    ['SERVICE_MAX_ORDER_NOTIONAL', maxOrderNotional],
    ['SERVICE_MAX_DAILY_NOTIONAL', maxDailyNotional],
  ] as const;
  for (const [name, cap] of caps) {
    if (!cap || compareDecimals(cap, atAsk ?? lowest) >= 0) continue;
    const message = `${name} (${formatDecimal(cap)}) is below ${smallest}.`;
    return warn(message, `Raise ${name}, unless only cheaper orders are meant to pass.`);
  }
  // No funds at all are a finding of their own.
  const funds = noted && noted.balance.coefficient !== 0n ? noted.balance : undefined;
  if (funds && compareDecimals(funds, lowest) < 0) {
    return warn(`The ${formatDecimal(funds)} pUSD do not pay ${smallest}.`, 'Deposit on polymarket.com.');
  }
  const allowing = funds ? 'Caps and funds allow' : 'The caps allow';
  return ok(`${allowing} ${smallest}.`);
}
