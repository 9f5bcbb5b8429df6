import { type Client, type HealthStatus, OrderBookError } from '../client/client.ts';
import { makeFacts, part, repeatWhileVisible, say } from './dom.ts';

/** Pause until a health that did not come is asked for again. */
const RETRY_MS = 3_000;

function showBadge(text: string, kind = ''): void {
  part('badge').className = `badge ${kind}`;
  say('badge', text);
}

/** Returns true for a service whose money is invented. */
export function isOnPaper({ venue, wallet_address: wallet }: HealthStatus, paperWallet: string | undefined): boolean {
  return String(venue) === 'paper' || (wallet !== null && wallet === paperWallet);
}

function showService(serviceUrl: string, { mode, wallet_address: wallet }: HealthStatus, isPaper: boolean): void {
  part('console').classList.toggle('paper', isPaper);
  const isReal = !isPaper && mode === 'order-placing';
  showBadge(isPaper ? 'PAPER' : isReal ? 'REAL MONEY' : 'READ ONLY', isReal ? 'real' : 'safe');
  say('service-error', '');
  const short = wallet && { Wallet: `${wallet.slice(0, 6)}…${wallet.slice(-4)}` };
  // On paper, the balance and the position come in their place.
  if (!isPaper) part('account').replaceChildren(makeFacts({ Service: new URL(serviceUrl).host, ...short }));
}

/** Says why there is no health. A service answers reads to every page, but its health to the origins that it lists only. */
function showMissing({ code, detail }: OrderBookError, hasRead: boolean): void {
  const isUnlisted = code === 'network_error' && hasRead;
  if (isUnlisted) showBadge('READS ONLY');
  else showBadge('NO ANSWER', 'real');
  const unlisted = `this page's address, ${location.origin}, is not listed in the service's SERVICE_CORS_ORIGINS.`;
  say('service-error', isUnlisted ? `Reads only: ${unlisted}` : `No orders: ${detail}`);
}

interface Meeting {
  readonly client: Client;
  readonly serviceUrl: string;
  readonly paperWallet: string | undefined;
  /** Returns true once the service has answered a read. */
  readonly hasRead: () => boolean;
}

/** Asks for the health until it comes, and shows what is known of the service. */
export function meetService({ client, serviceUrl, paperWallet, hasRead }: Meeting): Promise<HealthStatus> {
  showBadge(`Asking ${new URL(serviceUrl).host}…`);
  return new Promise((resolve, reject) => {
    const ask = async () => {
      try {
        const health = await client.health();
        showService(serviceUrl, health, isOnPaper(health, paperWallet));
        resolve(health);
        return undefined;
      } catch (error) {
        if (!(error instanceof OrderBookError)) throw error;
        showMissing(error, hasRead());
        return RETRY_MS;
      }
    };
    repeatWhileVisible(ask).catch(reject);
  });
}

/** Throws `OrderBookError` if another service now answers at the address: it may trade with real money. */
export async function checkService(client: Client, opened: HealthStatus): Promise<void> {
  const { wallet_address: wallet, mode } = await client.health();
  if (wallet === opened.wallet_address && mode === opened.mode) return;
  const detail = 'Another service has come to this address since the page was loaded. Load the page again.';
  throw new OrderBookError(detail, { code: 'order_placement_disabled' });
}
