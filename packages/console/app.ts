import { part, say } from './dom.ts';
import { textOf } from './json.ts';
import { createPage } from './page.ts';
import { meetService, showService } from './service.ts';
import { startTrading } from './trading.ts';

/** Reads `console.json` beside the page; a page served without it takes `?service=`. */
async function readFacts() {
  const named = new URLSearchParams(location.search).get('service') ?? undefined;
  const response = await fetch('console.json').catch(() => undefined);
  const facts: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  // No other service has the paper wallet, since every start has its own.
  return { serviceUrl: textOf(facts, 'service_url') ?? named, paperWallet: textOf(facts, 'paper_wallet') };
}

/** Opens the page on a service: books at once, and orders as soon as its health is there. */
async function start(): Promise<void> {
  const { serviceUrl = '', paperWallet } = await readFacts();
  const isKnown = /^https?:/.test(serviceUrl) && URL.canParse(serviceUrl);
  [part('service-form').hidden, part('console').hidden] = [isKnown, !isKnown];
  // Before the service has answered, so that nothing moves when it does.
  part('console').classList.toggle('paper', paperWallet !== undefined);
  say('service-error', isKnown || serviceUrl === '' ? '' : 'The address must begin with http:// or https://.');
  if (!isKnown) return say('badge', '');
  const page = createPage(serviceUrl);
  const health = await meetService(page);
  // Only the page that a paper venue serves can ask that venue.
  const hasVenue = health.wallet_address !== null && health.wallet_address === paperWallet;
  showService(serviceUrl, health, hasVenue);
  startTrading(page, health, hasVenue);
}

void start();
