import { writeFile } from 'node:fs/promises';
import { formatDecimal } from '../../shared/decimal.ts';
import { areCredentialsRefused } from '../../shared/errors.ts';
import { errorCode } from '../../shared/node-error.ts';
import type { Account } from '../../shared/venue/polymarket/accounts.ts';
import { EXCHANGES } from '../../shared/venue/polymarket/official-client.ts';
import type { Call } from '../../shared/venue/port.ts';
import type { Inspection } from '../venue/inspection.ts';
import type { AccountReads, NotedCollateral } from '../venue/read-account.ts';
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
        `The venue refuses the API credentials that are set: they belong to another address than ${address}, or were created less than two minutes ago.`,
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
    return ok(`Balance at the venue: ${formatDecimal(noted.balance)} pUSD (${funderAddress}).`, noted);
  }
  const fix = 'Deposit pUSD, not USDC or USDC.e, on polymarket.com; this balance may be old: run this with --refresh.';
  return warn(`Balance at the venue: no pUSD (${funderAddress}).`, fix, noted);
}

/** The markets of the exchanges, by their addresses. */
const MARKETS_OF: ReadonlyMap<string, string> = new Map([
  [EXCHANGES.plain.toLowerCase(), 'markets of protocol v1'],
  [EXCHANGES.negRisk.toLowerCase(), 'neg-risk markets of protocol v1'],
  [EXCHANGES.protocolV2.toLowerCase(), 'markets of protocol v2'],
]);

/** Reports the exchanges that may not take the account's collateral, by the notes of the CLOB. */
export function checkApprovals({ notAllowed }: NotedCollateral): CheckResult {
  if (notAllowed.size === 0) return ok('The exchange contracts are approved to spend pUSD.');
  const lacking = [...notAllowed].map((spender) => `${spender} (${MARKETS_OF.get(spender) ?? 'some markets'})`);
  const fix = 'Trade once with the account on polymarket.com, which approves them, and run this with --refresh.';
  return warn(`These contracts are not approved to spend pUSD: ${lacking.join(', ')}.`, fix);
}
