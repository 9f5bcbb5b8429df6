import { type Client, type HealthStatus, OrderBookError } from '../client/client.ts';
import { makeFacts, part, say } from './dom.ts';
import { shortAddress } from './figures.ts';
import type { Page } from './page.ts';
import { notSent, sentenceOf } from './words.ts';

/** Pause until a health that did not come is asked for again. */
const RETRY_MS = 3_000;

function showBadge(text: string, kind = ''): void {
  part('badge').className = `badge ${kind}`;
  say('badge', text);
}

/** Says why there is no health. A service answers reads to every page, but its health to the origins that it lists only. */
function showMissing(error: OrderBookError, hasRead: boolean, forbid: (reason: string) => void): void {
  const isUnlisted = error.code === 'network_error' && hasRead;
  showBadge(isUnlisted ? 'READ ONLY' : 'NO ANSWER', isUnlisted ? 'safe' : 'real');
  const unlisted = `Read only: the operator has to list this page, ${location.origin}, in SERVICE_CORS_ORIGINS.`;
  say('service-error', isUnlisted ? unlisted : sentenceOf(error));
  if (isUnlisted) forbid('This page may not place orders here');
}

/** Asks for the health of the service of a page until it comes. */
export async function meetService({ client, serviceUrl, shown, forbid }: Page): Promise<HealthStatus> {
  showBadge(`Asking ${new URL(serviceUrl).host}…`);
  for (;;) {
    try {
      return await client.health();
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      showMissing(error, shown.book !== undefined, forbid);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Shows the service, and whether its money is real; `hasVenue` is true for the one whose paper venue serves this page. */
export function showService(serviceUrl: string, health: HealthStatus, hasVenue: boolean): void {
  const { mode, venue, wallet_address: wallet } = health;
  part('console').classList.toggle('paper', hasVenue);
  part('console').classList.toggle('reads-only', mode === 'read-only');
  const badge = venue === 'paper' ? 'PAPER' : mode === 'order-placing' ? 'REAL MONEY' : 'READ ONLY';
  showBadge(badge, badge === 'REAL MONEY' ? 'real' : 'safe');
  say('service-error', '');
  const short = wallet && { Wallet: shortAddress(wallet) };
  // On paper, balance and position replace these.
  if (!hasVenue) part('account').replaceChildren(makeFacts({ Service: new URL(serviceUrl).host, ...short }));
}

/** Throws `OrderBookError` if another service now answers at the address: it may trade with real money. */
export async function checkService(client: Client, opened: HealthStatus): Promise<void> {
  const now = await client.health();
  const names = ['wallet_address', 'funder_address', 'mode', 'venue'] as const;
  if (names.every((name) => now[name] === opened[name])) return;
  const detail = 'Another service has come to this address since the page was loaded. Load the page again.';
  throw notSent(detail, 'order_placement_disabled');
}
