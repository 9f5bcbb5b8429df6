/** Writes a host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Returns the canonical name in a `Host`, without port and final dot; `undefined` for anything else. */
function nameOf(authority: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(authority)) return undefined;
  return URL.parse(`http://${authority}`)?.hostname.replace(/\.$/, '');
}

/** Creates the guard against DNS rebinding: a web page whose name was pointed at this machine sends that name as `Host`. */
export function createHostTest(hosts: readonly string[]): (authority: string) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', ...hosts].map((host) => nameOf(bracketed(host))));
  names.delete(undefined);
  return (authority) => names.has(nameOf(authority));
}
