import type { ApiCredentials, SigningKey } from '../../shared/account.ts';
import type { Config } from '../../shared/settings/config.ts';
import type { Account } from '../../shared/venue/polymarket/accounts.ts';
import type { OperatorVenue } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';

/** The result of one check, as it is printed. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  /** A sentence on what holds, or what is wrong. */
  readonly message: string;
  /** What to do; `null` if there is nothing to do. */
  readonly fix: string | null;
}

/** Creates the finding of a check that passed. */
export function ok(message: string): Finding {
  return { status: 'ok', message, fix: null };
}

/** Creates the finding of a check that passed with a warning; `fix` says what to do. */
export function warn(message: string, fix: string): Finding {
  return { status: 'warn', message, fix };
}

/** Creates the finding of a check that failed; `fix` says what to do. */
export function fail(message: string, fix: string): Finding {
  return { status: 'fail', message, fix };
}

/** Thrown by a check that cannot be made: it is skipped. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}

/** Returns what the check `id` has found; throws `Unmet` if it has found nothing. */
export function need<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw new Unmet(`It needs ${id}, which has to pass first.`);
  return value;
}

/** The settings in force. */
export interface Setup {
  readonly config: Config;
  readonly key?: { readonly signingKey: SigningKey; readonly credentials: ApiCredentials | undefined } | undefined;
  /** The setting of the local server's store of orders. */
  readonly store: string;
  /** The file that the key was read from. */
  readonly keyFile?: string | undefined;
  /** The address that a deployment is set to trade with. */
  readonly pinned?: string | undefined;
}

/** What the checks have found so far. */
export interface Facts {
  readonly setup: Setup;
  readonly venue: OperatorVenue;
  /** The website of the venue. */
  readonly siteUrl: string;
  /** Found by `key`: a wallet that signs, and its account. */
  wallet?: Wallet;
  account?: Account;
  /** Found by `credentials`. */
  reads?: ReturnType<OperatorVenue['account']>;
}

/** Returns the key of the settings; throws `Unmet` if there is none. */
export function keyOf({ setup }: Facts) {
  if (setup.key) return setup.key;
  throw new Unmet(
    'There is no wallet key: neither SERVICE_PRIVATE_KEY nor SERVICE_KMS_KEY is set, so the service only reads.',
  );
}

/** Returns the wallet of the key; throws `Unmet` if there is none. */
export function walletOf(facts: Facts): Wallet {
  keyOf(facts);
  return need(facts.wallet, 'key');
}
