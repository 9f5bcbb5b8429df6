import { BlockList, isIP } from 'node:net';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'] as const;

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

/** Returns a host in lower case, without port and final dot, so that two compare; `undefined` for anything else. */
function nameOf(authority: string): string | undefined {
  const match = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{0,5})?$/i.exec(authority);
  const name = match?.groups?.['name']?.toLowerCase();
  // An IPv6 address has many spellings; the URL parser knows the canonical one.
  return name?.startsWith('[') ? (URL.parse(`http://${name}`)?.hostname ?? name) : name;
}

/**
 * Creates the test of hosts, the guard against DNS rebinding: a web page whose name was pointed at this machine sends that
 * name as `Host`. An address in an allowed range passes: a load balancer probes by address, and a page has a name.
 */
export function createHostTest(host: string, allowedHosts: readonly string[]): (authority: string) => boolean {
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
