import { createHmac } from 'node:crypto';
import type { ApiCredentials } from '../../../account.ts';
import type { Call } from '../../../call.ts';
import { type AppError, refuse } from '../../../errors.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { READ_BUDGET_MS, SENDING_RESERVE_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import { answerTo, waitUntil } from './reads.ts';
import type { Transport, VenueHttpRequest } from './transport.ts';

/**
 * Returns the headers of a request that is sent with API credentials. `now`: the venue's time in milliseconds
 * (https://docs.polymarket.com/api-reference/authentication: L2). They are those of the client's `createL2Headers`, which a
 * test compares; the client's HMAC goes through WebCrypto and costs two turns of the event loop (p50 33.8 -> 30.5 ms with ten
 * orders on their way).
 */
export function l2Headers(
  { method, path, body }: Pick<VenueHttpRequest, 'method' | 'path' | 'body'>,
  walletAddress: string,
  { key, secret, passphrase }: ApiCredentials,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const signed = timestamp + method + path.replace(/\?.*/, '') + (body ?? '');
  const signature = createHmac('sha256', Buffer.from(secret.reveal(), 'base64')).update(signed).digest('base64');
  return {
    POLY_ADDRESS: walletAddress,
    POLY_SIGNATURE: signature.replaceAll('+', '-').replaceAll('/', '_'),
    POLY_TIMESTAMP: timestamp,
    POLY_API_KEY: key,
    POLY_PASSPHRASE: passphrase.reveal(),
  };
}

/** Creates the error for an operator without working credentials. */
export function refusedCredentials(cause?: unknown): AppError {
  return refuse('venue_refused_service', { reason: 'credentials' }, { cause });
}

interface CredentialSource {
  get(call: Call): Promise<ApiCredentials>;
  /** Drops credentials that the venue refused, so that the next request obtains new ones. */
  forget(refused: ApiCredentials): void;
}

/** The source of credentials that the operator set: it never obtains others. */
export function givenCredentials(given: ApiCredentials): CredentialSource {
  return { get: async () => given, forget: () => undefined };
}

/** Creates the source of credentials that are obtained at most once at a time, however many orders wait for them. */
export function createCredentialSource(obtain: (call: Call) => Promise<ApiCredentials>): CredentialSource {
  let current: ApiCredentials | undefined;
  let inFlight: Promise<ApiCredentials> | undefined;

  async function start(call: Call): Promise<ApiCredentials> {
    try {
      // The request that begins may have less time than those that join it, or more.
      current = await obtain({ ...call, deadline: Math.max(call.deadline, performance.now() + READ_BUDGET_MS) });
      return current;
    } finally {
      inFlight = undefined;
    }
  }

  return {
    async get(call) {
      if (current) return current;
      inFlight ??= start(call);
      return waitUntil(call.deadline - SENDING_RESERVE_MS, inFlight);
    },
    forget(refused) {
      // Another order may have obtained new ones in the meantime.
      if (current === refused) current = undefined;
    },
  };
}

export interface AccountDeps {
  readonly clob: Transport;
  readonly walletAddress: string;
  readonly credentials: CredentialSource;
  readonly log: Log;
}

/** Creates the sender of requests with credentials at hand. Those that the venue refuses (401) are forgotten. */
export function createSignedSender({ clob, walletAddress, credentials, log }: AccountDeps) {
  return async (request: VenueHttpRequest, used: ApiCredentials, call: Call): Promise<HttpResponse> => {
    const headers = l2Headers(request, walletAddress, used, Date.now());
    const response = await clob.send({ ...request, headers }, call);
    if (response.status === 401) {
      credentials.forget(used);
      log.warn('API credentials refused by the venue', { venue_request: request.name, ...call.trace });
    }
    return response;
  };
}

/** An answer, and the credentials that it was given to. */
interface AccountAnswer {
  readonly response: HttpResponse;
  readonly used: ApiCredentials;
}

/**
 * Sends a read or a cancellation of an account, without a retry. Errors by code: those of `MarketData`, and
 * `venue_refused_service` for refused credentials.
 */
export type SendAsAccount = (request: VenueHttpRequest, call: Call) => Promise<AccountAnswer>;

/** Creates the sender of one account's reads and cancellations. */
export function createAccountSender(deps: AccountDeps): SendAsAccount {
  const send = createSignedSender(deps);
  return async (request, call) => {
    const used = await deps.credentials.get(call);
    const response = await answerTo(send(request, used, call));
    if (response.status === 401) throw refusedCredentials();
    return { response, used };
  };
}
