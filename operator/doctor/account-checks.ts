import { open, rm } from 'node:fs/promises';
import type { WalletKey } from '../../functions/orders/wallet-key.ts';
import { compareDecimals, type Decimal, formatDecimal, ZERO } from '../../shared/decimal.ts';
import { errorCode } from '../../shared/error-code.ts';
import { areCredentialsRefused } from '../../shared/errors.ts';
import type { Config } from '../../shared/settings/config.ts';
import { findAccount } from '../../shared/venue/polymarket/accounts.ts';
import type { Call } from '../../shared/venue/port.ts';
import {
  type Account,
  type AccountReads,
  findLacking,
  type Inspection,
  type NotedCollateral,
} from '../inspection/inspection.ts';
import { type CheckResult, fail, ok, warn } from './run.ts';

/** What a check asks with. */
export interface Asking {
  readonly venue: Inspection;
  readonly call: Call;
}

const HAVE_NONE_FIX = 'The first order makes them.';

/** Sends an authenticated call with the API credentials that are set, or with those that the venue derives from the key. */
export async function checkCredentials(key: WalletKey, { venue, call }: Asking): Promise<CheckResult<AccountReads>> {
  const { address } = key.wallet;
  let { credentials } = key;
  try {
    credentials ??= await venue.findApiKey(key.wallet, call);
    if (!credentials) return warn(`The venue has made no API credentials for ${address} yet.`, HAVE_NONE_FIX);
    const reads = venue.openReads(key.wallet, credentials);
    await reads.checkCredentials(call);
    const origin = key.credentials ? 'that are set' : 'derived from the key';
    return ok(`The API credentials ${origin} work.`, reads);
  } catch (error) {
    if (!areCredentialsRefused(error)) throw error;
    // The venue refuses new ones for about two minutes.
    const derived = credentials
      ? `The venue refuses the API credentials that it gives to ${address}.`
      : `The venue refuses the signature of ${address}, from which API credentials are derived.`;
    const message = key.credentials
      ? `The venue refuses the API credentials that are set: they are not those of ${address}, or not two minutes old.`
      : derived;
    const fix = key.credentials
      ? `They belong to the key's own address (${address}), not to the funder's: leave all three out, and run this with --print-credentials FILE for the right ones.`
      : 'Check the clock of this machine, and try again in two minutes.';
    return fail(message, fix);
  }
}

/** Derives the API credentials and writes them to a new file of the owner's alone, in the members of the secret. */
export async function writeCredentials(file: string, key: WalletKey, { venue, call }: Asking): Promise<CheckResult> {
  const credentials = await venue.findApiKey(key.wallet, call);
  if (!credentials) {
    return fail(`Nothing is written: ${key.wallet.address} has no API credentials yet.`, HAVE_NONE_FIX);
  }
  const { key: apiKey, secret, passphrase } = credentials;
  const members = { apiKey, apiSecret: secret.reveal(), apiPassphrase: passphrase.reveal() };
  try {
    // Never an existing file: it may be somebody else's, or be readable by others.
    await using created = await open(file, 'wx', 0o600);
    await created.writeFile(`${JSON.stringify(members)}\n`).catch(async (error) => {
      // What a full disk took of it would be in the way of the next run.
      await rm(file);
      throw error;
    });
  } catch (error) {
    const code = errorCode(error);
    const reason = code === 'EEXIST' ? 'it is there already' : String(code);
    return fail(`${file} is not written: ${reason}.`, 'Name a new file in a folder that you may write to.');
  }
  return ok(`The API credentials are in ${file}, which only you may read.`);
}

/** Asks if the account may only close positions. */
export async function checkClosedOnly(reads: AccountReads, { call }: Asking): Promise<CheckResult> {
  return (await reads.isClosedOnly(call))
    ? fail(
        'The venue lets this account only close positions: it takes no new ones.',
        'Ask the support of polymarket.com why.',
      )
    : // A ban is told to orders alone.
      ok('The account is not in closed-only mode.');
}

function inWords(amount: Decimal): string {
  return `${formatDecimal(amount)} pUSD`;
}

/** Judges what the venue has noted; `before` is the note before a refresh, where one was asked for. */
function judgeFunds({ funderAddress }: Account, now: Decimal, before: Decimal | undefined): CheckResult {
  if (compareDecimals(now, ZERO) === 0) {
    const fix = before
      ? 'Deposit on polymarket.com: orders are paid in pUSD, not in USDC or USDC.e.'
      : 'Deposit on polymarket.com; if there is money in it, run this with --refresh: the note may be old.';
    return warn(`The venue notes no pUSD in ${funderAddress}.`, fix);
  }
  if (!before || compareDecimals(before, now) === 0) return ok(`The venue notes ${inWords(now)} in ${funderAddress}.`);
  return ok(`The venue had noted ${inWords(before)} in ${funderAddress}; refreshed, it notes ${inWords(now)}.`);
}

/** Reads the collateral as the venue has noted it; with `refresh` it reads the chain again. */
export async function checkFunds(
  account: Account,
  reads: AccountReads,
  refresh: boolean,
  { call }: Asking,
): Promise<CheckResult<NotedCollateral>> {
  const { signatureType } = account;
  const first = await reads.readCollateral(signatureType, call);
  if (refresh && first) await reads.refreshCollateral(signatureType, call);
  const noted = refresh && first ? await reads.readCollateral(signatureType, call) : first;
  if (!noted) {
    const fix =
      "Where SERVICE_CLOB_API_KEY and its secret and passphrase are set, they may be another signer's: leave them out, and run this again.";
    return fail(`The venue knows no ${signatureType} account for these API credentials.`, fix);
  }
  return { ...judgeFunds(account, noted.balance, refresh ? first?.balance : undefined), value: noted };
}

/** Reports the approvals that the account lacks, with what is impossible without them. */
export async function checkApprovals(
  { funderAddress }: Account,
  funds: Promise<CheckResult<NotedCollateral>>,
  { venue, call }: Asking,
): Promise<CheckResult> {
  const [given, { value: noted }] = await Promise.all([venue.readApprovals(funderAddress, call), funds]);
  const lacking = findLacking(given, noted?.notAllowed ?? new Set());
  if (lacking.length === 0) return ok('The exchanges may move what orders need.');
  const parts = lacking.map(({ id, prevents, why }) => {
    if (why === 'not told') return `the venue tells nothing of ${id}`;
    if (why === 'other') return `it cannot ${prevents} (the order book has noted no allowance for ${id})`;
    return why === 'missing'
      ? `it cannot ${prevents} (${id} is missing)`
      : `it cannot ${prevents} yet (${id} is given, but the order book has not noted it)`;
  });
  const onlyNoted = lacking.every(({ why }) => why === 'noted');
  const fix = onlyNoted
    ? 'Run this with --refresh.'
    : 'Trade once with the account on polymarket.com, which gives them, or see https://docs.polymarket.com/trading/contracts.';
  return warn(`The account lacks approvals: ${parts.join('; ')}.`, fix);
}

/** Asks with which wallet the website trades for this key and this funder. */
export async function checkProfile(
  { wallet }: WalletKey,
  { funderAddress: funder = wallet.address }: Config,
  { venue, call }: Asking,
): Promise<CheckResult> {
  const asked = [...new Set([funder, wallet.address])];
  const profiles = await Promise.all(asked.map((address) => venue.readProfileWallet(address, call)));
  const known = profiles.flatMap((profile) => profile ?? []);
  const other = known.find(({ address }) => address.toLowerCase() !== funder.toLowerCase())?.address;
  if (other) {
    const kind = findAccount(wallet.address, other)?.signatureType;
    const type = kind === undefined ? 'the SERVICE_SIGNATURE_TYPE of its kind' : `SERVICE_SIGNATURE_TYPE=${kind}`;
    return fail(
      `The website trades with another wallet (${other}) than ${funder}.`,
      `If your funds are there, set SERVICE_FUNDER_ADDRESS=${other} and ${type}.`,
    );
  }
  if (known.some(({ isDeployed }) => !isDeployed)) {
    const refusal = 'the venue refuses its orders with "the order signer address has to be the address of the API KEY"';
    return fail(
      `The wallet ${funder} is not deployed yet: ${refusal}.`,
      'Trade once on polymarket.com, a small amount.',
    );
  }
  return ok(known.length > 0 ? `The website trades with ${funder} too.` : `The website knows no profile of ${funder}.`);
}
