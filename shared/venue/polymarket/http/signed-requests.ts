import type { ApiCredentials } from '../../../account.ts';
import { AppError, refuse } from '../../../errors.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { READ_BUDGET_MS, RENEWAL_PAUSE_MS, SENDING_RESERVE_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call } from '../../port.ts';
import { l2Headers } from '../official-client.ts';
import { waitUntil } from './reads.ts';
import type { Transport, VenueHttpRequest } from './transport.ts';

/** Creates the error for an operator without working credentials. */
export function refusedCredentials(cause?: unknown): AppError {
  return refuse('venue_refused_service', { reason: 'credentials' }, { cause });
}

/**
 * Credentials that are obtained at most once at a time, however many orders wait for them, and after a refusal at most once
 * in `RENEWAL_PAUSE_MS`. After another failure to obtain the first ones the next order tries again. `now`: the wall clock, since
 * a monotonic one may stand still with the process.
 */
export function createCredentialSource(
  given: ApiCredentials | undefined,
  obtain: (call: Call) => Promise<ApiCredentials | undefined>,
  now: () => number = Date.now,
) {
  let current = given;
  let inFlight: Promise<ApiCredentials> | undefined;
  /** The end of the last attempt that was a refusal or a renewal, or whose credentials may turn out to be refused. */
  let last: { readonly at: number; readonly error: AppError } | undefined;

  async function start(call: Call): Promise<ApiCredentials> {
    try {
      const obtained = await obtain(call);
      if (!obtained) throw refusedCredentials();
      current = obtained;
      return obtained;
    } catch (error) {
      const isKept = error instanceof AppError && (current || error.code === 'venue_refused_service');
      if (isKept) last = { at: now(), error };
      throw error;
    }
  }

  async function renewOnce(call: Call, deadline: number): Promise<ApiCredentials> {
    const age = now() - (last?.at ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not make the pause longer.
    if (!inFlight && last && age >= 0 && age < RENEWAL_PAUSE_MS) throw last.error;
    // The request that begins may have less time than those that join it, or more.
    const latest = Math.max(call.deadline, performance.now() + READ_BUDGET_MS);
    inFlight ??= start({ ...call, deadline: latest }).finally(() => {
      inFlight = undefined;
    });
    return waitUntil(deadline, inFlight);
  }

  return {
    get: async (call: Call) => current ?? renewOnce(call, call.deadline - SENDING_RESERVE_MS),
    /** Replaces refused credentials; throws `venue_refused_service` if it has none. */
    async renew(refused: ApiCredentials, call: Call) {
      // Another order may have renewed them in the meantime.
      if (current && current !== refused) return current;
      const renewed = await renewOnce(call, call.deadline);
      last = { at: now(), error: refusedCredentials() };
      return renewed;
    },
  };
}

/** The source of the API credentials: given, or derived once from the wallet key. */
type CredentialSource = ReturnType<typeof createCredentialSource>;

/** The account whose requests are sent, and its transport. */
export interface AccountDeps {
  readonly clob: Transport;
  readonly walletAddress: string;
  readonly credentials: CredentialSource;
  readonly log: Log;
}

/** An answer, and the credentials that it was given to. */
export interface AccountAnswer {
  readonly response: HttpResponse;
  readonly used: ApiCredentials;
}

/**
 * Sends a request with the account's credentials. On a 401, which comes before the venue looks at a request,
 * makes and sends it once more, with renewed credentials. `mayRepeat` returns false for a 401 after which it is not sent
 * again. Errors: `TransportError`, and by code those of `CredentialSource`.
 */
export type SendAsAccount = (
  make: (used: ApiCredentials) => VenueHttpRequest,
  call: Call,
  mayRepeat?: (answer: AccountAnswer) => boolean,
) => Promise<AccountAnswer>;

/** Creates the sender of one account's requests. */
export function createAccountSender({ clob, walletAddress, credentials, log }: AccountDeps): SendAsAccount {
  async function attempt(request: VenueHttpRequest, used: ApiCredentials, call: Call) {
    const headers = l2Headers(request, walletAddress, used, Date.now());
    return { response: await clob.send({ ...request, headers }, call), used };
  }

  return async (make, call, mayRepeat = () => true) => {
    const used = await credentials.get(call);
    const request = make(used);
    const answer = await attempt(request, used, call);
    if (answer.response.status !== 401 || !mayRepeat(answer)) return answer;
    log.warn('API credentials refused by the venue', { venue_request: request.name, ...call.trace });
    const renewed = await credentials.renew(used, call);
    return attempt(make(renewed), renewed, call);
  };
}
