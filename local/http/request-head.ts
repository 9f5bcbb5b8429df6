import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type AppError, refuse } from '../../shared/errors.ts';
import { FOREIGN_PAGES_PER_S, MAX_HEADER_BYTES, MAX_TARGET_BYTES } from '../../shared/limits.ts';

/** The request line and the headers of a request, read once. */
export interface RequestHead {
  readonly path: string;
  /** The path as it came, still percent-encoded. */
  readonly encodedPath: string;
  /** Still percent-encoded, without the question mark. */
  readonly query: string;
  /** The headers as they came, names in lower case, duplicates included: Node would drop some of them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The colon, the space and the end of the line around a header's name and value. */
const HEADER_LINE_OVERHEAD_BYTES = 4;

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'] as const;

/**
 * An absolute-form target has an authority, which goes before the `Host` header (RFC 9112, 3.2.2). A URL of another
 * scheme does not match: Express would take its path, and its authority would be unchecked.
 */
const TARGET = /^(?:https?:\/\/(?<authority>[^/?]*))?(?<path>(?:\/[^?]*)?|\*)(?:\?(?<query>.*))?$/i;

/** Creates the error for an invalid request; `detail` says what the field must be. */
export function invalid(sentence: string, field: string, detail: string): AppError {
  return refuse('invalid_request', { sentence, errors: [{ field, detail }] });
}

function headerPairs({ rawHeaders }: IncomingMessage): RequestHead['headers'] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  );
}

/** Returns the values of each header of a name, which is in lower case. */
function valuesOf(headers: RequestHead['headers'], wanted: string): readonly string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}

function checkSizes(target: string, headers: RequestHead['headers']): void {
  if (target.length > MAX_TARGET_BYTES) throw refuse('uri_too_long', {});
  const sizes = headers.map(([name, value]) => name.length + value.length + HEADER_LINE_OVERHEAD_BYTES);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_HEADER_BYTES) throw refuse('headers_too_large', {});
}

/** Refuses what Node's parser accepts but a proxy may read differently. */
function checkProtocol({ headers, httpVersion }: IncomingMessage): void {
  // A proxy of HTTP/1.0 knows no chunks, and reads them as the next requests.
  if (httpVersion !== '1.1' && (httpVersion !== '1.0' || headers['transfer-encoding'] !== undefined))
    throw invalid('The request is not valid HTTP/1.1.', 'request', 'must be HTTP/1.1.');
  const { expect = '100-continue', 'transfer-encoding': coding = 'chunked' } = headers;
  if (expect.toLowerCase() !== '100-continue') {
    throw invalid('The Expect header can only be 100-continue.', 'Expect', 'must be 100-continue.');
  }
  if (coding.toLowerCase() !== 'chunked') {
    throw invalid('The Transfer-Encoding header can only be chunked.', 'Transfer-Encoding', 'must be chunked.');
  }
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Takes a request target apart; throws 400 `invalid_request` where it is no path in the ASCII that makes up a URL. */
function parseTarget(target: string) {
  const parts = TARGET.exec(target)?.groups;
  const { authority, path: written = '', query = '' } = parts ?? {};
  const encodedPath = written === '' ? '/' : written;
  const path = decodePath(encodedPath);
  // Other characters, a fragment among them, would be read differently by every parser behind this one.
  if (!parts || !/^[\x21\x22\x24-\x7e]*$/.test(target) || path === undefined) {
    const sentence = 'The URL is not valid: send a path that begins with a slash, in ASCII with percent-encoded UTF-8.';
    throw invalid(sentence, 'path', 'must begin with a slash and be ASCII with percent-encoded UTF-8.');
  }
  return { authority, encodedPath, path, query };
}

/** A host in the form in which two are compared: lower case, no port, no dot of the root; `undefined` for anything else. */
function nameOf(authority: string): string | undefined {
  const match = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{0,5})?$/i.exec(authority);
  const name = match?.groups?.['name']?.toLowerCase();
  // An IPv6 address has many spellings; the URL parser knows the canonical one.
  return name?.startsWith('[') ? (URL.parse(`http://${name}`)?.hostname ?? name) : name;
}

/**
 * Creates the test of hosts. An address in an allowed range passes too: a load balancer probes by address, and no page can
 * have one for its name.
 */
function createHostTest(host: string, allowedHosts: readonly string[]): (authority: string) => boolean {
  const names = new Set([...LOOPBACK, bracketed(host), ...allowedHosts].map(nameOf));
  const ranges = new BlockList();
  for (const [address = '', prefix] of allowedHosts.map((allowed) => allowed.split('/'))) {
    if (prefix !== undefined) ranges.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return (authority) => {
    const name = nameOf(authority);
    if (name === undefined) return false;
    const address = name.replace(/^\[(.*)\]$/, '$1');
    return names.has(name) || ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
}

function checkHosts(
  hosts: readonly string[],
  authority: string | undefined,
  isAllowed: (host: string) => boolean,
): void {
  if (hosts.length !== 1) {
    throw invalid('The request needs exactly one Host header.', 'Host', 'must be there once.');
  }
  const named = authority === undefined ? hosts : [...hosts, authority];
  const refused = named.find((name) => !isAllowed(name));
  if (refused !== undefined) throw refuse('host_not_allowed', { host: refused });
}

/** Writes a host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the base URL of a service that listens on a host, for its own machine. */
export function urlOf(host: string, port: number | undefined): string {
  // The wildcard addresses are not ones to connect to.
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${bracketed(reachable)}:${port}`;
}

/**
 * Creates the reader of request heads, which refuses what is refused before the path matters: sizes (414, 431), protocol
 * and target (400), then `Host` (400 where there is not exactly one, 403 `host_not_allowed`). The last one guards
 * against DNS rebinding: a web page whose name was pointed at this machine says so in `Host`.
 */
export function createHeadReader(
  host: string,
  allowedHosts: readonly string[],
): (request: IncomingMessage) => RequestHead {
  const isAllowed = createHostTest(host, allowedHosts);
  return (request) => {
    const { url: target = '' } = request;
    const headers = headerPairs(request);
    checkSizes(target, headers);
    checkProtocol(request);
    const { authority, ...parts } = parseTarget(target);
    checkHosts(valuesOf(headers, 'host'), authority, isAllowed);
    return { ...parts, headers };
  };
}

/**
 * Returns true for a request from a web page whose origin is not listed. A picture or a `no-cors` read comes without an origin:
 * then the browser says whether the page is one of our own (Fetch Metadata).
 */
function isForeign({ headers }: Pick<RequestHead, 'headers'>, listed: readonly string[]): boolean {
  const origins = valuesOf(headers, 'origin');
  if (origins.length > 0) return origins.some((origin) => !listed.includes(origin));
  return valuesOf(headers, 'sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none');
}

/**
 * Creates the limit of requests from web pages whose origin is not listed, all of them together, whatever they ask for:
 * any page that is open on the operator's machine can send them, and each may use up some of what the venue allows the
 * operator. Throws 429 `rate_limited`. `now`: a monotonic clock in milliseconds.
 */
export function createForeignPageLimit(
  listed: readonly string[],
  now: () => number = () => performance.now(),
): (head: Pick<RequestHead, 'headers'>) => void {
  let [left, countedAt] = [FOREIGN_PAGES_PER_S, now()];
  return (head) => {
    if (!isForeign(head, listed)) return;
    const time = now();
    left = Math.min(left + ((time - countedAt) / 1_000) * FOREIGN_PAGES_PER_S, FOREIGN_PAGES_PER_S);
    countedAt = time;
    if (left < 1) throw refuse('rate_limited', { rateOf: 'pages' });
    left -= 1;
  };
}
