import { AppError } from '../../shared/errors.ts';
import { DOCTOR_MS } from '../../shared/limits.ts';
import { errorCode } from '../../shared/node-error.ts';
import type { Call } from '../../shared/venue/port.ts';

/** The result of one check, as it is printed. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  /** A sentence on what holds, or what is wrong. */
  readonly message: string;
  /** What to do; `null` if there is nothing to do. */
  readonly fix: string | null;
}

/** A finding, and a value for later checks. Without the value, checks that need it are skipped. */
export interface CheckResult<T = never> {
  readonly finding: Finding;
  readonly value?: T | undefined;
}

/** A check that runs or has run. Its result never rejects. */
export interface Step<T> {
  readonly id: string;
  readonly result: Promise<CheckResult<T>>;
}

/** Creates the result of a check that passed. */
export function ok<T = never>(message: string, value?: T): CheckResult<T> {
  return { finding: { status: 'ok', message, fix: null }, value };
}

/** Creates the result of a check that passed with a warning; `fix` says what to do. */
export function warn<T = never>(message: string, fix: string, value?: T): CheckResult<T> {
  return { finding: { status: 'warn', message, fix }, value };
}

/** Creates the result of a check that failed; `fix` says what to do. */
export function fail(message: string, fix: string): CheckResult {
  return { finding: { status: 'fail', message, fix } };
}

/** Creates the result of a check that could not be made. */
export function skip(message: string): CheckResult {
  return { finding: { status: 'skip', message, fix: null } };
}

/** Thrown in a check that needs the value of another check, which has none. */
class Unmet extends Error {
  override readonly name = 'Unmet';
}

/** Returns the value of a check; throws `Unmet` if it has none. */
export async function need<T>({ id, result }: Step<T>): Promise<T> {
  const { value, finding } = await result;
  if (value !== undefined) return value;
  throw new Unmet(finding.status === 'skip' ? finding.message : `It needs ${id}, which has to pass first.`);
}

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

interface CheckOptions {
  /** Names the host that is asked. */
  readonly asks: string;
  /** The service works without this host: no answer is a warning. */
  readonly optional?: boolean;
}

/** The time limits of a run and of one call of the venue in it. */
export interface DoctorLimits {
  readonly run: number;
  readonly check: number;
}

/** Creates a run of checks, which begin when they are added. It ends within `limits.run`, even if the venue hangs. */
export function createRun(limits: DoctorLimits = DOCTOR_MS) {
  const endsAt = performance.now() + limits.run;
  const steps: Step<unknown>[] = [];

  /** Bounds the time of work without a deadline, such as that of a file system. */
  async function within<T>(body: () => Promise<CheckResult<T>>, late: CheckResult): Promise<CheckResult<T>> {
    const { promise, resolve } = Promise.withResolvers<CheckResult<T>>();
    const timer = setTimeout(() => resolve(late), Math.max(endsAt - performance.now(), 0));
    return Promise.race([body(), promise]).finally(() => clearTimeout(timer));
  }

  return {
    /** In the order in which they were added. */
    steps,
    /** Opens a call of the venue that ends with its check's time, or with the run's. */
    newCall: (): Call => ({ deadline: Math.min(endsAt, performance.now() + limits.check), venueRequests: [] }),
    check<T>(id: string, { asks, optional = false }: CheckOptions, body: () => Promise<CheckResult<T>>): Step<T> {
      const bad = optional ? warn : fail;
      const late = bad(`${asks} did not answer within the time of the run.`, 'Run it again.');
      const result = within(body, late).catch((error: unknown) =>
        error instanceof Unmet ? skip(error.message) : bad(...explain(error, asks)),
      );
      const step = { id, result };
      steps.push(step);
      return step;
    },
  };
}

/** A run of checks. */
export type Run = ReturnType<typeof createRun>;
