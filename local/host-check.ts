import { refuse } from '../shared/errors.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** A host in the form in which two are compared: lower case, no port, no dot of the root; `undefined` if it is none. */
function nameOf(authority: string): string | undefined {
  const match = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{0,5})?$/i.exec(authority);
  const name = match?.groups?.['name']?.toLowerCase();
  // An IPv6 address has many spellings; the URL parser knows the canonical one.
  return name?.startsWith('[') && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;
}

/** The host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Makes the check against DNS rebinding: a web page whose name was pointed at this machine says so in `Host`. The
 * check throws 403 `host_not_allowed`, and 400 `invalid_request` where there is not exactly one `Host`.
 */
export function createHostCheck(
  host: string,
  allowedHosts: readonly string[],
): (hosts: readonly string[], authority: string | undefined) => void {
  const allowed = new Set([...LOOPBACK, bracketed(host), ...allowedHosts].map(nameOf));
  allowed.delete(undefined);
  return (hosts, authority) => {
    if (hosts.length !== 1) {
      throw refuse('invalid_request', {
        sentence: 'The request needs exactly one Host header.',
        errors: [{ field: 'Host', detail: 'must be there once.' }],
      });
    }
    const named = authority === undefined ? hosts : [...hosts, authority];
    if (named.every((name) => allowed.has(nameOf(name)))) return;
    throw refuse('host_not_allowed', {});
  };
}
