import { millisecondsSince } from '../../elapsed.ts';
import type { Call } from '../port.ts';
import { createConnection, readBody, type VenueHttpRequest } from './connection.ts';
import { parseRetryAfter } from './retry-after.ts';
import { TransportError } from './transport-error.ts';

export interface VenueHttpResponse {
  readonly status: number;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  readonly isJson: boolean;
  readonly text: string;
}

/** One HTTP exchange with a host of the venue: no retry, no redirect, no answer over 8 MiB; throws `TransportError`. */
export interface Transport {
  send(request: VenueHttpRequest, call: Call): Promise<VenueHttpResponse>;
  /** Milliseconds by which the venue's clock is ahead of ours, from the last `Date` header. */
  clockSkew(): number;
}

/** Opens a transport to a host of the venue. `now`: the wall clock in epoch milliseconds. */
export function createTransport(baseUrl: string, now: () => number = Date.now): Transport {
  const connection = createConnection(baseUrl, now);
  let skew = 0;

  async function receive(spec: VenueHttpRequest, limit: number): Promise<VenueHttpResponse> {
    const response = await connection.exchange(spec, limit);
    const { headers, statusCode = 0 } = response;
    const date = Date.parse(headers.date ?? '');
    if (!Number.isNaN(date)) skew = date - now();
    const text = await readBody(response);
    return {
      status: statusCode,
      retryAfter: parseRetryAfter(headers['retry-after'], now() + skew),
      isJson: /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? ''),
      text,
    };
  }

  return {
    clockSkew: () => skew,
    async send(spec, call) {
      const startedAt = performance.now();
      const limit = Math.min(spec.timeLimit ?? Number.POSITIVE_INFINITY, call.deadline - startedAt);
      let result: number | string = 'timeout';
      try {
        if (limit <= 0) throw new TransportError('timeout', false);
        const response = await receive(spec, limit);
        result = response.status;
        return response;
      } catch (error) {
        const failure = error instanceof TransportError ? error : new TransportError('reset', true, error);
        result = failure.kind;
        throw failure;
      } finally {
        call.venueRequests.push({ name: spec.name, result, milliseconds: millisecondsSince(startedAt) });
      }
    },
  };
}
