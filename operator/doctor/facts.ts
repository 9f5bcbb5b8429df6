import type { openAccount } from '#venue/open-account';
import type { OperatorVenue } from '../../shared/venue/polymarket/operator-venue.ts';
import type { OperatorConfig } from '../desk/access.ts';

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

type Account = Awaited<ReturnType<typeof openAccount>>;

/** The settings in force. */
export interface Setup {
  readonly config: OperatorConfig;
  /** The file that the key was read from. */
  readonly keyFile?: string | undefined;
}

/** What the checks have found so far. */
export interface Facts {
  readonly setup: Setup;
  readonly venue: OperatorVenue;
  /** The website of the venue. */
  readonly siteUrl: string;
  /** Found by `key`: a wallet that signs, and its account. */
  account?: Account;
  /** Found by `credentials`. */
  reads?: ReturnType<OperatorVenue['account']>;
}

/** Returns the account of the key; throws `Unmet` if there is none. */
export function accountOf(facts: Facts): Account {
  if (facts.setup.config.key) return need(facts.account, 'key');
  throw new Unmet(
    'There is no wallet key: neither SERVICE_PRIVATE_KEY nor SERVICE_KMS_KEY is set, so the service only reads.',
  );
}
