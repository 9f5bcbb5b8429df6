import type { ApiCredentials } from '../../credentials.ts';
import { AppError } from '../../errors.ts';
import { RENEWAL_PAUSE_MS } from '../../limits.ts';
import type { Call } from '../port.ts';

/** Where the API credentials come from: given, or derived once from the key. */
export interface CredentialSource {
  get(call: Call): Promise<ApiCredentials>;
  /**
   * Others in place of the ones that the venue has refused; throws `venue_refused_service` where there are none.
   */
  renew(refused: ApiCredentials, call: Call): Promise<ApiCredentials>;
}

type Obtain = (call: Call) => Promise<ApiCredentials | undefined>;

/** What the operator is told when no credentials work. */
export function refusedCredentials(cause?: unknown): AppError {
  return new AppError('The venue refuses the API credentials of this service; its operator has to act.', {
    code: 'venue_refused_service',
    facts: { reason: 'credentials' },
    cause,
  });
}

/**
 * Credentials that are obtained at most once at a time, however many orders wait for them. A failure is not kept: the
 * next order tries again.
 */
export function createCredentialSource(
  given: ApiCredentials | undefined,
  obtain: Obtain,
  now: () => number = Date.now,
): CredentialSource {
  let current = given;
  let renewedAt: number | undefined;
  let inFlight: Promise<ApiCredentials> | undefined;

  async function start(call: Call): Promise<ApiCredentials> {
    const obtained = await obtain(call);
    if (!obtained) throw refusedCredentials();
    current = obtained;
    return obtained;
  }

  function renewOnce(call: Call): Promise<ApiCredentials> {
    inFlight ??= start(call).finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  }

  return {
    get: async (call) => current ?? renewOnce(call),
    async renew(refused, call) {
      // Another order may have renewed them in the meantime.
      if (current && current !== refused) return current;
      if (renewedAt !== undefined && Math.abs(now() - renewedAt) < RENEWAL_PAUSE_MS) throw refusedCredentials();
      const renewed = await renewOnce(call);
      renewedAt = now();
      return renewed;
    },
  };
}
