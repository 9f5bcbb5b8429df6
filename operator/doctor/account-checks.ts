import { writeFile } from 'node:fs/promises';
import { formatDecimal } from '../../shared/decimal.ts';
import { areCredentialsRefused } from '../../shared/errors.ts';
import { WRONG_CLOCK_MS } from '../../shared/limits.ts';
import { errorCode } from '../../shared/node-error.ts';
import { EXCHANGES } from '../../shared/venue/polymarket/official-client.ts';
import type { NotedCollateral } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Call } from '../../shared/venue/port.ts';
import { accountOf, type Facts, type Finding, fail, need, ok, warn } from './facts.ts';

const HAVE_NONE_FIX = 'The first order makes them.';

/** Sends an authenticated call with the API credentials that are set, else with those that the venue derives. */
export async function checkCredentials(facts: Facts, call: Call): Promise<Finding> {
  const { venue } = facts;
  const { wallet, credentials: set } = accountOf(facts);
  const { address } = wallet;
  const aheadS = -Math.round((await venue.clockSkew(call)) / 1_000);
  if (Math.abs(aheadS) * 1_000 > WRONG_CLOCK_MS) {
    const way = aheadS > 0 ? 'ahead of' : 'behind';
    const message = `The clock of this machine is ${Math.abs(aheadS)} s ${way} the venue's.`;
    return fail(message, 'Have it set by NTP (timedatectl set-ntp true).');
  }
  let credentials = set;
  try {
    credentials ??= await venue.findApiKey(wallet, call);
    if (!credentials) return warn(`The venue has no API credentials for ${address} yet.`, HAVE_NONE_FIX);
    const reads = venue.account(address, credentials);
    await reads.checkCredentials(call);
    facts.reads = reads;
    return ok(`The API credentials ${set ? 'that are set' : 'derived from the key'} work.`);
  } catch (error) {
    if (!areCredentialsRefused(error)) throw error;
    if (set) {
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
export async function writeCredentials(file: string, facts: Facts, call: Call): Promise<Finding> {
  const { wallet } = accountOf(facts);
  const credentials = await facts.venue.findApiKey(wallet, call);
  if (!credentials) return fail(`Nothing is written: ${wallet.address} has no API credentials yet.`, HAVE_NONE_FIX);
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

/** The markets of the exchanges, by their addresses. */
const MARKETS_OF: ReadonlyMap<string, string> = new Map([
  [EXCHANGES.plain.toLowerCase(), 'markets of protocol v1'],
  [EXCHANGES.negRisk.toLowerCase(), 'neg-risk markets of protocol v1'],
  [EXCHANGES.protocolV2.toLowerCase(), 'markets of protocol v2'],
]);

/** Judges the balance, and the approvals of the exchanges to take of it. */
function judgeFunds({ balance, notAllowed }: NotedCollateral, funder: string): Finding {
  const lacking = [...notAllowed].map((spender) => `${spender} (${MARKETS_OF.get(spender) ?? 'some markets'})`);
  const noted = `Balance at the venue: ${balance.coefficient > 0n ? formatDecimal(balance) : 'no'} pUSD (${funder}).`;
  const approvals =
    lacking.length === 0
      ? 'The exchange contracts are approved to spend it.'
      : `These contracts are not approved to spend pUSD: ${lacking.join(', ')}.`;
  const fixes = [
    ...(balance.coefficient > 0n ? [] : ['Deposit pUSD, not USDC or USDC.e, on polymarket.com.']),
    ...(lacking.length === 0 ? [] : ['Trade once with the account on polymarket.com, which approves the contracts.']),
  ];
  const message = `${noted} ${approvals}`;
  return fixes.length === 0 ? ok(message) : warn(message, `${fixes.join(' ')} Then run this with --refresh.`);
}

/** Reads the collateral as the venue has noted it; with `refresh` the venue reads the chain first. */
export async function checkFunds(refresh: boolean, facts: Facts, call: Call): Promise<Finding> {
  const { signatureType, funderAddress } = accountOf(facts);
  const reads = need(facts.reads, 'credentials');
  const noted = await reads.collateral(signatureType, refresh, call);
  if (noted) return judgeFunds(noted, funderAddress);
  return fail(
    `The venue knows no ${signatureType} account for these API credentials.`,
    "SERVICE_CLOB_API_KEY, its secret and passphrase may be another signer's: leave them out, and run this again.",
  );
}
