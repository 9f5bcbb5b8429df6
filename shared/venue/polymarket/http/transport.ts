import type { Call } from '../../../call.ts';
import {
  type ExchangeOptions,
  type HttpRequest,
  type HttpResponse,
  openExchange,
  TransportError,
} from '../../../http/exchange.ts';

export interface VenueHttpRequest extends HttpRequest {
  /** Names the call in the log. */
  readonly name: string;
  readonly path: string;
  /** The time for this attempt in milliseconds; never more than what is left of the call. */
  readonly timeLimit?: number;
}

/** Exchanges with a host of the venue. Throws `TransportError`; its `sent` decides whether an order may have arrived. */
export interface Transport {
  send(request: VenueHttpRequest, call: Call): Promise<HttpResponse>;
}

/** Opens a transport to a host of the venue. */
export function createTransport(baseUrl: string, options: ExchangeOptions = {}): Transport {
  const exchange = openExchange(baseUrl, options);

  return {
    async send(spec, call) {
      const startedAt = performance.now();
      const limit = Math.min(spec.timeLimit ?? Number.POSITIVE_INFINITY, call.deadline - startedAt);
      // Stryker disable next-line StringLiteral: an exchange throws `TransportError` alone
      let result: number | string = 'timeout';
      try {
        const response = await exchange(spec, limit);
        result = response.status;
        return response;
      } catch (error) {
        // Stryker disable next-line ConditionalExpression: the same
        if (error instanceof TransportError) result = error.kind;
        throw error;
      } finally {
        call.venueRequests.push({
          name: spec.name,
          result,
          milliseconds: Number((performance.now() - startedAt).toFixed(1)),
        });
      }
    },
  };
}
