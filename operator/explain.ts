import { AppError, type ErrorCode } from '../shared/errors.ts';
import { errorCode } from '../shared/node-error.ts';

const CHECK_NETWORK = 'Check the network of this machine, and https://status.polymarket.com.';
const CHECK_CERTIFICATE =
  "Check this machine's clock. If you use a proxy, set NODE_EXTRA_CA_CERTS to its certificate file. Without a proxy, something intercepts the connection.";
const OTHER_PROVIDER = 'Some providers block the venue: try another network or name server.';
const OTHER_NETWORK = 'Run it from another network: the firewall refuses many data centres (docs/going-live.md).';
const CHANGED = 'Try again. If the error stays, check https://status.polymarket.com, then update this service.';
const SET_CLOCK = 'Turn on NTP (timedatectl set-ntp true).';
const SEE_GOING_LIVE = 'See docs/going-live.md.';

/** The advice to an operator in a region from which orders are not accepted. */
export const GO_ELSEWHERE =
  'Run the service from a country that is not restricted; on AWS in eu-west-1 (docs/going-live.md).';

/** What went wrong, without a capital and a full stop, and what to do about it. */
type Explanation = readonly [what: string, fix: string];

type Row = (host: string, error: AppError) => Explanation;

/** What to do about the reasons for which the venue refuses an operator; the documents have the others. */
const REFUSALS: ReadonlyMap<unknown, Explanation> = new Map([
  ['firewall', ['is behind a firewall that refuses this machine', OTHER_NETWORK]],
  ['region', ['takes no orders from the region of this machine', GO_ELSEWHERE]],
  ['credentials', ['refuses the API credentials, or the clock is wrong', 'Run npm run doctor.']],
]);

function noConnection(host: string, { cause }: AppError): Explanation {
  const code = errorCode(cause) ?? '';
  if (/CERT|^UNABLE_TO_/.test(code)) {
    return [`${host} has a certificate that this machine does not trust (${code})`, CHECK_CERTIFICATE];
  }
  if (/^(?:ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code)) {
    return [`the name server of this network has no address for ${host} (${code})`, OTHER_PROVIDER];
  }
  return [`${host} is unreachable or unavailable`, CHECK_NETWORK];
}

function unusable(host: string, { cause }: AppError): Explanation {
  // Only connection errors have a system code.
  if (/^E[A-Z]+$/.test(errorCode(cause) ?? '')) {
    return [`${host} closed the connection before the end of its answer`, CHECK_NETWORK];
  }
  const [status, isPage] = /^status \d+(, not JSON)?(?:: .+)?$/.exec(Error.isError(cause) ? cause.message : '') ?? [];
  if (isPage)
    return [`${host} answered with a web page instead of JSON (${status?.replace(isPage, '')})`, OTHER_PROVIDER];
  return [`${host} sent an unusable answer${status === undefined ? '' : ` (${status})`}`, CHANGED];
}

/** The errors of a call of the venue, by their codes, for a person. */
const ROWS: Readonly<Partial<Record<ErrorCode, Row>>> = {
  venue_timeout: (host) => [`${host} did not answer in time`, CHECK_NETWORK],
  venue_unavailable: noConnection,
  venue_error: unusable,
  store_unavailable: (_host, { cause }) => [
    Error.isError(cause) ? cause.message.replace(/\.$/, '') : 'the wallet key cannot be used',
    'See "A key in AWS KMS" in docs/going-live.md.',
  ],
  rate_limited: (host) => [`${host} limits the rate of requests`, 'Try again in a minute.'],
  venue_refused_service: (host, { facts: { reason }, message }) => {
    const clock = /clock is \d+ s (?:ahead of|behind)/.exec(message)?.[0];
    if (clock) return [`this machine's ${clock} the one of ${host}: no order is signed`, SET_CLOCK];
    const [what, fix] = REFUSALS.get(reason) ?? [`refuses this machine or account (${reason})`, SEE_GOING_LIVE];
    return [`${host} ${what}`, fix];
  },
};

/** Explains why a call of a host failed; `undefined` for an error of this program. */
export function explain(error: unknown, host: string): Explanation | undefined {
  return error instanceof AppError ? ROWS[error.code]?.(host, error) : undefined;
}
