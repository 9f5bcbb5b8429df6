import { writeFile } from 'node:fs/promises';
import { formatDecimal } from '../../shared/decimal.ts';
import { errorCode } from '../../shared/error-code.ts';
import { areCredentialsRefused } from '../../shared/errors.ts';
import type { Call } from '../../shared/venue/port.ts';
import {
  type Account,
  type AccountReads,
  findLacking,
  type Inspection,
  NOT_NOTED,
  type NotedCollateral,
} from '../inspection/inspection.ts';
import { type CheckResult, fail, ok, warn } from './run.ts';
import type { WalletKey } from './setup-checks.ts';

/** The venue, and the call that a check asks it by. */
export interface Asking {
  readonly venue: Inspection;
  readonly call: Call;
}

const HAVE_NONE_FIX = 'The first order makes them.';

/** Sends an authenticated call with the API credentials that are set, else with those that the venue derives. */
export async function checkCredentials(key: WalletKey, { venue, call }: Asking): Promise<CheckResult<AccountReads>> {
  const { address } = key.wallet;
  let { credentials } = key;
  try {
    credentials ??= await venue.findApiKey(key.wallet, call);
    if (!credentials) return warn(`The venue has no API credentials for ${address} yet.`, HAVE_NONE_FIX);
    const reads = venue.openReads(key.wallet, credentials);
    await reads.checkCredentials(call);
    return ok(`The API credentials ${key.credentials ? 'that are set' : 'derived from the key'} work.`, reads);
  } catch (error) {
    if (!areCredentialsRefused(error)) throw error;
    if (key.credentials) {
      return fail(
        `The venue refuses the API credentials that are set: they are not those of ${address}, or not two minutes old.`,
        `They belong to the key's own address (${address}), not to the funder's: leave all three out, and run this with --print-credentials FILE for the right ones.`,
      );
    }
    // The venue refuses new ones for about two minutes.
    const refused = credentials ? 'the API credentials that it gave to' : 'the signature of';
    const fix = 'Check the clock of this machine, and try again in two minutes.';
    return fail(`The venue refuses ${refused} ${address}.`, fix);
  }
}

/** Derives the API credentials and writes them to a new file with mode 0600, in the members of the secret. */
export async function writeCredentials(file: string, key: WalletKey, { venue, call }: Asking): Promise<CheckResult> {
  const credentials = await venue.findApiKey(key.wallet, call);
  if (!credentials) {
    return fail(`Nothing is written: ${key.wallet.address} has no API credentials yet.`, HAVE_NONE_FIX);
  }
  const { key: apiKey, secret, passphrase } = credentials;
  const members = { apiKey, apiSecret: secret.reveal(), apiPassphrase: passphrase.reveal() };
  try {
    // Never to an existing file, which others may own or read.
    await writeFile(file, `${JSON.stringify(members)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    return fail(`${file} is not written (${errorCode(error)}).`, 'Name a new file in a folder that you may write to.');
  }
  return ok(`The API credentials are in ${file}, which only you may read.`);
}

/** Reads the collateral as the venue has noted it; with `refresh` the venue reads the chain first. */
export async function checkFunds(
  { signatureType, funderAddress }: Account,
  reads: AccountReads,
  refresh: boolean,
  { call }: Asking,
): Promise<CheckResult<NotedCollateral>> {
  if (refresh) await reads.refreshCollateral(signatureType, call);
  const noted = await reads.readCollateral(signatureType, call);
  if (!noted) {
    return fail(
      `The venue knows no ${signatureType} account for these API credentials.`,
      "SERVICE_CLOB_API_KEY, its secret and passphrase may be another signer's: leave them out, and run this again.",
    );
  }
  if (noted.balance.coefficient > 0n) {
    return ok(`The venue notes ${formatDecimal(noted.balance)} pUSD in ${funderAddress}.`, noted);
  }
  const fix = 'Deposit pUSD, not USDC or USDC.e, on polymarket.com; the note may be old: run this with --refresh.';
  return warn(`The venue notes no pUSD in ${funderAddress}.`, fix, noted);
}

/** Reports the approvals that the account lacks, with the orders that need them. */
export async function checkApprovals(
  { funderAddress }: Account,
  funds: Promise<CheckResult<NotedCollateral>>,
  { venue, call }: Asking,
): Promise<CheckResult> {
  const [given, { value: noted }] = await Promise.all([venue.readApprovals(funderAddress, call), funds]);
  const lacking = findLacking(given, noted?.notAllowed ?? new Set());
  if (lacking.length === 0) return ok('The exchanges may move what orders need.');
  const parts = lacking.map(({ id, prevents, why }) => `it cannot ${prevents} (${id} ${why})`);
  const onlyNoted = lacking.every(({ why }) => why === NOT_NOTED);
  const fix = onlyNoted
    ? 'Run this with --refresh.'
    : 'Trade once with the account on polymarket.com, which gives them, or see https://docs.polymarket.com/trading/contracts.';
  return warn(`The account lacks approvals: ${parts.join('; ')}.`, fix);
}
