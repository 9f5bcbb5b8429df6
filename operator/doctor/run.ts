import { AppError } from '../../shared/errors.ts';
import { errorCode } from '../../shared/node-error.ts';
import type { Call } from '../../shared/venue/port.ts';
import { type Facts, type Finding, fail, Unmet, warn } from './facts.ts';

const CHECK_NETWORK = 'Check the network of this machine, and https://status.polymarket.com.';
const CHECK_CERTIFICATE =
  'Check its clock. For a proxy of your own, set NODE_EXTRA_CA_CERTS to the file of its certificate; else the network answers in place of the venue.';
const OTHER_PROVIDER = 'Some providers block the venue: try another network or name server.';
/** The advice to an operator in a region from which orders are not accepted. */
export const GO_ELSEWHERE =
  'Run the service from a country that is not restricted; on AWS in eu-west-1 (docs/going-live.md).';
const OTHER_NETWORK = 'Run it from another network: the firewall refuses many data centres (docs/going-live.md).';
const CHANGED = 'Try again; if it stays, look at https://status.polymarket.com, and for an update of this service.';

/** Explains the refusal of a host. */
function explainRefusal(reason: unknown, asks: string): readonly [message: string, fix: string] {
  if (reason === 'firewall') return [`${asks} is behind a firewall that refuses this machine.`, OTHER_NETWORK];
  const fix = reason === 'region' ? GO_ELSEWHERE : 'See "Before the first order" in docs/going-live.md.';
  return [`${asks} refuses this machine or account (${reason}).`, fix];
}

/** Explains why there is no connection to a host. */
function explainNoConnection(cause: unknown, asks: string): readonly [message: string, fix: string] {
  const code = errorCode(cause) ?? '';
  if (/CERT|^UNABLE_TO_/.test(code)) {
    return [`${asks} has a certificate that this machine does not trust (${code}).`, CHECK_CERTIFICATE];
  }
  if (/^(?:ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code)) {
    return [`The name server of this network has no address for ${asks} (${code}).`, OTHER_PROVIDER];
  }
  if (Error.isError(cause) && 'address' in cause && /^(?:0\.0\.0\.0|::)$/.test(String(cause.address))) {
    return [`The name server of this network leads ${asks} to ${cause.address}, which is no host.`, OTHER_PROVIDER];
  }
  return [`${asks} cannot be reached, or is not available at the moment.`, CHECK_NETWORK];
}

/** Explains why a host gave no usable answer. */
function explain(error: unknown, asks: string): readonly [message: string, fix: string] {
  if (!(error instanceof AppError)) {
    // Its message might quote a secret.
    const kind = error instanceof Error ? error.name : 'unknown';
    return [`The check itself failed (${kind}).`, 'This is a fault of this program: please report it.'];
  }
  const { cause } = error;
  switch (error.code) {
    case 'venue_timeout':
      return [`${asks} did not answer.`, CHECK_NETWORK];
    case 'venue_unavailable':
      return explainNoConnection(cause, asks);
    case 'rate_limited':
      return [`${asks} limits the rate of requests from here.`, 'Try again in a minute.'];
    case 'venue_refused_service':
      return explainRefusal(error.facts['reason'], asks);
    default:
      // Of such errors only those of the connection have a code of the system.
      if (/^E[A-Z]+$/.test(errorCode(cause) ?? '')) {
        return [`${asks} closed the connection before its answer was whole.`, CHECK_NETWORK];
      }
      if (Error.isError(cause) && cause.message.endsWith(', not JSON')) {
        return [`A page came in place of the answer of ${asks} (${cause.message}).`, OTHER_PROVIDER];
      }
      return [`${asks} gave an answer that cannot be used.`, CHANGED];
  }
}

/** One check of a run. */
export interface Check {
  readonly id: string;
  /** Names the host that is asked. */
  readonly asks: string;
  /** The service works without this host: no answer is a warning. */
  readonly optional?: boolean;
  readonly make: (facts: Facts, call: Call) => Promise<Finding> | Finding;
}

/** A finding, and the id of its check. */
export interface Line extends Finding {
  readonly id: string;
}

/** Makes one check, which ends by `deadline` even if it waits for a file system. */
export async function makeCheck(
  { id, asks, optional = false }: Omit<Check, 'make'>,
  deadline: number,
  make: (call: Call) => Promise<Finding> | Finding,
): Promise<Line> {
  const bad = optional ? warn : fail;
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const late = () => resolve(bad(`${asks} did not answer.`, CHECK_NETWORK));
  const timer = setTimeout(late, Math.max(deadline - performance.now(), 0));
  try {
    return { id, ...(await Promise.race([make({ deadline, venueRequests: [] }), promise])) };
  } catch (error) {
    if (error instanceof Unmet) return { id, status: 'skip', message: error.message, fix: null };
    return { id, ...bad(...explain(error, asks)) };
  } finally {
    clearTimeout(timer);
  }
}
