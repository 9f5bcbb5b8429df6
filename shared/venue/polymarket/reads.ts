import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { MIN_RETRY_MS, RETRY_PAUSE_MS } from '../../limits.ts';
import type { Call } from '../port.ts';
import type { VenueHttpRequest } from './connection.ts';
import { toldWait } from './retry-after.ts';
import type { Transport, VenueHttpResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';
import { errorText } from './wire.ts';

/** Statuses of the edge and of restarts after which a read is worth a second try. */
const TRANSIENT: ReadonlySet<number> = new Set([502, 503, 504]);
/** Milliseconds to wait before the second try, or `undefined` when there is to be none. */
function pauseBeforeRetry(result: VenueHttpResponse | TransportError): number | undefined {
  const transient = result instanceof TransportError ? result.kind === 'reset' : TRANSIENT.has(result.status);
  if (!transient) return undefined;
  const asked = result instanceof TransportError ? 0 : (result.retryAfter ?? 0) * 1000;
  return Math.max(asked, RETRY_PAUSE_MS.min + Math.random() * (RETRY_PAUSE_MS.max - RETRY_PAUSE_MS.min));
}

async function attempt(http: Transport, spec: VenueHttpRequest, call: Call) {
  try {
    return await http.send(spec, call);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

function translateFailure({ kind, cause }: TransportError): AppError {
  if (kind === 'timeout') {
    return new AppError('The venue did not answer in time; try again.', { code: 'venue_timeout', cause });
  }
  if (kind === 'not_connected') {
    return new AppError('The venue cannot be reached; try again later.', { code: 'venue_unavailable', cause });
  }
  return new AppError('The venue broke off its answer; try again.', { code: 'venue_error', cause });
}

/** Sends a read, a second time where that makes sense and fits the budget. Errors by code: those of the transport. */
export async function read(http: Transport, spec: VenueHttpRequest, call: Call): Promise<VenueHttpResponse> {
  let result = await attempt(http, spec, call);
  const pause = pauseBeforeRetry(result);
  if (pause !== undefined && performance.now() + pause + MIN_RETRY_MS < call.deadline) {
    await sleep(pause);
    result = await attempt(http, spec, call);
  }
  if (result instanceof TransportError) throw translateFailure(result);
  return result;
}

/** What a status other than success says about a read. */
export function refuseRead({ status, retryAfter, isJson, text }: VenueHttpResponse): AppError {
  const hint = toldWait(retryAfter);
  if (status === 429) {
    return new AppError('The venue limits the rate of requests; slow down.', { code: 'rate_limited', ...hint });
  }
  if (status === 425 || status === 503) {
    return new AppError('The venue is not available at the moment; try again later.', {
      code: 'venue_unavailable',
      ...hint,
    });
  }
  if (status === 403) {
    const region = isJson && /restricted in your region/i.test(errorText(text) ?? '');
    return new AppError('The venue refuses this service; its operator has to act.', {
      code: 'venue_refused_service',
      facts: { reason: region ? 'region' : 'firewall' },
    });
  }
  return new AppError('The venue gave an answer that cannot be used; try again later.', {
    code: 'venue_error',
    cause: new Error(`status ${status}${isJson ? '' : ', not JSON'}`),
  });
}
