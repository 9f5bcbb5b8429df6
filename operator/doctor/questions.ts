import { writeFile } from 'node:fs/promises';
import { createMarketData } from '#venue/market-data';
import type { Call } from '../../shared/call.ts';
import { formatDecimal } from '../../shared/decimal.ts';
import { AppError, areCredentialsRefused } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { LOOPBACK } from '../../shared/loopback.ts';
import { errorCode } from '../../shared/node-error.ts';
import { type OperatorVenue, REFUSED_REGION } from '../../shared/venue/polymarket/operator-venue.ts';
import type { OperatorConfig } from '../account/access.ts';
import { GO_ELSEWHERE } from '../explain.ts';
import { type Finding, fail, judge, ok, skip, warn } from './check.ts';
import type { Account } from './start.ts';

export interface Asked {
  readonly config: OperatorConfig;
  readonly account: Account | undefined;
  readonly venue: OperatorVenue;
  readonly call: Call;
}

/** The calls of an account whose credentials work. */
type Reads = ReturnType<OperatorVenue['account']> | undefined;

export const judgeClob = judge('the CLOB (SERVICE_CLOB_URL)');
const HAVE_NONE = 'The first order creates them, and so does --print-credentials FILE.';
const NO_KEY = skip('Without a wallet key there is no account to check.');
const NO_READS = skip('The venue reports on an account only with API credentials.');

/** Returns how to replace API credentials that are given: they stand in the settings or in the secret. */
function replaceCredentials({ credentials }: OperatorConfig): string {
  if (credentials) return 'Unset SERVICE_CLOB_API_KEY and the other two, or create them with --print-credentials FILE.';
  return 'Write new ones into the secret ("Rotating keys" in docs/operations.md).';
}

/** Sends an authenticated call with the API credentials that are set, else with those that the venue has for the wallet. */
export async function askCredentials(asked: Asked): Promise<{ readonly finding: Finding; readonly reads?: Reads }> {
  const { config, account, venue, call } = asked;
  if (!account) return { finding: NO_KEY };
  const { wallet, credentials: given } = account;
  try {
    // Requests and orders are signed with the time of this machine.
    await venue.checkClock(call);
    const credentials = given ?? (await venue.findApiKey(wallet, call));
    if (!credentials)
      return { finding: warn(`The venue has no API credentials for ${wallet.address} yet.`, HAVE_NONE) };
    const reads = venue.account(wallet.address, credentials);
    await reads.checkCredentials(call);
    return { finding: ok(`The API credentials ${given ? 'that are set' : 'derived from the key'} work.`), reads };
  } catch (error) {
    if (!areCredentialsRefused(error)) return { finding: judgeClob(error) };
    // The venue refuses new credentials for about two minutes.
    if (!given) {
      const refused = `The venue refuses ${wallet.address} and its API credentials.`;
      return { finding: fail(refused, 'Try again in two minutes.') };
    }
    const why = `they belong to another address than ${wallet.address}, or were created less than two minutes ago`;
    const fix = `Use the credentials of the key's own address, not of the funder's. ${replaceCredentials(config)}`;
    return { finding: fail(`The venue refuses the API credentials that are set: ${why}.`, fix) };
  }
}

/**
 * Writes the API credentials of the wallet to a new file with mode 0600, in the members of the secret. Creates them where
 * there are none, since the operator asks for the file by name.
 */
export async function writeCredentials(file: string, { account, venue, call }: Asked): Promise<Finding> {
  if (!account) return NO_KEY;
  const { wallet } = account;
  const found = (await venue.findApiKey(wallet, call)) ?? (await venue.createApiKey(wallet, call));
  const members = { apiKey: found.key, apiSecret: found.secret.reveal(), apiPassphrase: found.passphrase.reveal() };
  try {
    // Never overwrites a file, which others may own or read.
    await writeFile(file, `${JSON.stringify(members)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    return fail(`${file} is not written (${errorCode(error)}).`, 'Name a new file in a folder that you may write to.');
  }
  return ok(`The API credentials are in ${file}, which only you may read.`);
}

const DEPOSIT = 'Deposit pUSD, not USDC or USDC.e, on polymarket.com; then run this with --refresh.';
const DEPLOY_IT = 'Trade once on polymarket.com, which deploys the account; then run this with --refresh.';
const APPROVE = 'Trade once on polymarket.com, which approves them; then run this with --refresh.';

/** Reads the collateral, and the approvals to take of it, as the venue has noted them; with `refresh` it reads the chain first. */
export async function askFunds({ config, account, call }: Asked, reads: Reads, refresh: boolean): Promise<Finding> {
  if (!account || !reads) return NO_READS;
  const { signatureType, funderAddress } = account;
  const noted = await reads.collateral(signatureType, refresh, call);
  if (!noted) {
    const other = `The API credentials may belong to another signer. ${replaceCredentials(config)}`;
    const message = `The venue knows no ${signatureType} account for these API credentials.`;
    return fail(message, account.credentials ? other : DEPLOY_IT);
  }
  const { balance, notAllowed } = noted;
  const isEmpty = balance.coefficient <= 0n;
  const holds = `${funderAddress} holds ${isEmpty ? 'no' : formatDecimal(balance)} pUSD at the venue.`;
  if (isEmpty) return fail(holds, DEPOSIT);
  if (notAllowed.size === 0) return ok(`${holds} The exchange contracts may spend it.`);
  return warn(`${holds} These contracts may not spend it: ${[...notAllowed].join(', ')}.`, APPROVE);
}

/** Asks whether the account may only sell. The venue has no question about a ban. */
export async function askRestrictions({ call }: Asked, reads: Reads): Promise<Finding> {
  if (!reads) return NO_READS;
  const onlySells = await reads.isClosedOnly(call);
  if (onlySells) return fail('The venue takes only sales of this account (closed only).', 'Ask the venue why.');
  return ok('The account may buy and sell. Only an order shows a ban.');
}

/** Judges where the orders come from: the region of a deployment, else the place in which the venue sees this machine. */
export async function askRegion({ config: { stack, clobUrl }, venue, call }: Asked): Promise<Finding> {
  // A venue on this machine is a paper venue, which also has the path of the website.
  const siteUrl = LOOPBACK.test(new URL(clobUrl).hostname) ? clobUrl : 'https://polymarket.com';
  const { name, isRestricted } = stack
    ? { name: stack.region, isRestricted: REFUSED_REGION.test(stack.region) }
    : await venue.region(siteUrl, call);
  const where = stack ? `The functions run in ${name}` : `The venue sees this machine in ${name}`;
  if (isRestricted) return fail(`${where}, from where the venue takes no new orders.`, GO_ELSEWHERE);
  return ok(`${where}, from where the venue takes orders.`);
}

/** Markets that are tried, the most traded ones: the catalogue lags, and the first may have closed. */
const MARKETS_TRIED = 10;

/** Lists markets and reads a book as the service does, and compares the outcomes of both: a buyer of Yes must not get No. */
export async function askBooks({ config, venue, call }: Asked): Promise<Finding> {
  const marketData = createMarketData(config, createLog({ level: 'error', write: () => undefined }));
  const { items } = await marketData.listMarkets({ limit: MARKETS_TRIED }, call);
  for (const { id, condition_id: conditionId, outcomes } of items) {
    try {
      await marketData.readBook(outcomes[0]?.token_id ?? '', call);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_token') continue;
      throw error;
    }
    const names = conditionId === null ? undefined : (await venue.marketInfo(conditionId, call))?.outcomes;
    const bare = (name: string | undefined) => name?.trim().toLowerCase();
    if (!names || outcomes.every(({ token_id, name }) => name === null || bare(name) === bare(names.get(token_id)))) {
      return ok('Markets and order books can be read, and agree on the outcomes.');
    }
    return fail(`Catalogue and order book name the outcomes of market ${id} differently.`, 'Do not trade this market.');
  }
  return fail('The venue lists no market that has an order book.', 'Look at https://status.polymarket.com.');
}
