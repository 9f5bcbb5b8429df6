import type { PaperRequest, Reply } from '../http/router.ts';

/** A page that the venue hands out, and lets steer it. */
export interface Page {
  /** Reads its files by their names. */
  readonly files: () => Promise<ReadonlyMap<string, string>>;
  /** The service that the page talks to; undefined while that starts. */
  readonly service: () => { readonly url: string; readonly walletAddress: string | null } | undefined;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['app.js', 'text/javascript; charset=utf-8'],
  ['plot.js', 'text/javascript; charset=utf-8'],
  ['style.css', 'text/css; charset=utf-8'],
  ['console.json', 'application/json'],
]);

/** Returns the name of the file of a page that a request is for. A browser that opens the venue gets the page. */
export function fileOf({
  method,
  path,
  headers,
}: Pick<PaperRequest, 'method' | 'path' | 'headers'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (path === '/') return headers.accept?.includes('text/html') ? 'index.html' : undefined;
  return TYPES.has(path.slice(1)) ? path.slice(1) : undefined;
}

/** Lets the page load from the venue only, and connect only to that and to the service. */
function contentPolicy(serviceUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // A policy has no form for an address of IPv6: any host, and the service's port.
    `connect-src 'self' ${serviceUrl.replace(/\[.*\]/, '*')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Answers with a file of the page, or with the facts that it starts from. */
export async function pageReply(page: Page, name: string): Promise<Reply> {
  const service = page.service();
  const headers = {
    'content-type': TYPES.get(name) ?? '',
    'content-security-policy': contentPolicy(service?.url ?? ''),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
  if (!service) return { status: 503, headers, body: 'The service is still starting: load the page again.\n' };
  // Every start has a wallet of its own, by which the page recognises the service on paper.
  const facts = JSON.stringify({ service_url: service.url, paper_wallet: service.walletAddress });
  const body = name === 'console.json' ? facts : (await page.files()).get(name);
  return { status: body === undefined ? 404 : 200, headers, body: body ?? '' };
}
