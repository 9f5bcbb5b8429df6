import type { Secret } from '../../shared/secret.ts';
import { createAsk, type FetchLike } from './ask.ts';
import type { Check, Edge, World } from './check.ts';
import { EVERYWHERE } from './checks/everywhere.ts';
import { LOCAL_SERVER } from './checks/local-server.ts';
import { costOf, PLACED_ORDERS } from './checks/placed-orders.ts';
import { READS } from './checks/reads.ts';
import { REFUSED_ORDERS } from './checks/refused-orders.ts';
import { VERIFIED_CLIENTS } from './checks/verified-clients.ts';
import { type Contract, loadContract } from './contract.ts';
import { type Credentials, signedFetch, tokenFetch } from './signed-fetch.ts';
import { createSigningClient } from './signing.ts';
import { survey, surveyOrders } from './survey.ts';

/** What to check, and how far to go. */
export interface ConformanceOptions extends Credentials {
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** The private key of a client that may order, where the service lists its clients. Default: a key made for the run. */
  readonly clientKey?: Secret | undefined;
  /** Default: the platform's. Whatever else answers requests can be run against, too. */
  readonly fetch?: FetchLike;
  /** Default: the local server's where the host is loopback and nothing is signed. */
  readonly edge?: Edge;
  /** Asks for consent to the orders, given their cost. Without it none are placed. */
  readonly confirmOrders?: (cost: string) => Promise<boolean>;
  /** Leaves out what takes longer than ten seconds. */
  readonly quick?: boolean;
  /** Hears of each result as soon as it is known. */
  readonly onResult?: (result: Result) => void;
}

/** The end of one check. */
export interface Result {
  readonly group: string;
  readonly name: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** The reason why it failed or was skipped. */
  readonly reason?: string;
  readonly milliseconds: number;
}

/** The end of all checks. */
export interface Report {
  readonly mode: World['mode'];
  readonly results: readonly Result[];
  readonly passed: boolean;
  /** True if the client of the run was not allowed to order, so that no order reached the wallet key. */
  readonly isKeyUnchecked: boolean;
  /** Answers that the document knows and that nothing provoked, as `operation status code`. */
  readonly unseen: readonly string[];
}

const ORDERS: readonly Check[] = [...REFUSED_ORDERS, ...VERIFIED_CLIENTS, ...PLACED_ORDERS];
const CHECKS: readonly Check[] = [...EVERYWHERE, ...READS, ...ORDERS, ...LOCAL_SERVER];

function isLoopback(baseUrl: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname);
}

function whySkipped(check: Check, world: World, agreed: boolean, quick: boolean): string | undefined {
  if (check.applies?.(world) === false) return 'does not apply to this service';
  if (world.ordersKeptBack !== undefined && ORDERS.includes(check)) return world.ordersKeptBack;
  if (check.mayPlace && !agreed) return 'orders were not asked for';
  return check.slow && quick ? 'slow' : undefined;
}

/** Not by `instanceof`: errors of `node:assert` are of another realm where the suite runs in a test. */
function reasonOf(error: unknown): string {
  const named = typeof error === 'object' && error !== null && 'message' in error;
  return named ? String(error.message) : String(error);
}

async function runCheck({ group, name, run }: Check, world: World): Promise<Result> {
  const startedAt = performance.now();
  const time = () => Math.round(performance.now() - startedAt);
  try {
    await run(world);
    return { group, name, verdict: 'passed', milliseconds: time() };
  } catch (error) {
    return { group, name, verdict: 'failed', reason: reasonOf(error), milliseconds: time() };
  }
}

async function openWorld(options: ConformanceOptions, contract: Contract, seen: Set<string>): Promise<World> {
  const { baseUrl, fetch: send = globalThis.fetch, sign, token } = options;
  const { edge = isLoopback(baseUrl) && !sign && !token ? 'local' : 'gateway' } = options;
  const withToken = token === undefined ? send : tokenFetch(token, send);
  const fetch = sign ? signedFetch(sign, send) : withToken;
  const askAsItIs = createAsk({ baseUrl, fetch, contract, edge, seen });
  const found = await survey(askAsItIs);
  const { ordersKeptBack, wantsSignatures } = await surveyOrders(askAsItIs, found, options);
  const client = wantsSignatures ? createSigningClient(askAsItIs, options.clientKey) : undefined;
  return { baseUrl, ask: client?.ask ?? askAsItIs, contract, edge, ...found, ordersKeptBack, client };
}

/**
 * Runs the suite against a service. Rejects where there is none, or no market to look at, or where an order is to be
 * placed and a gateway keeps it back.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const contract = loadContract();
  const seen = new Set<string>();
  const world = await openWorld(options, contract, seen);
  const { confirmOrders, onResult, quick = false } = options;
  if (confirmOrders && world.ordersKeptBack !== undefined) throw new Error(world.ordersKeptBack);
  const agreed = world.mode === 'order-placing' && (await confirmOrders?.(costOf(world.sample))) === true;
  const results: Result[] = [];
  for (const check of CHECKS) {
    const reason = whySkipped(check, world, agreed, quick);
    const { group, name } = check;
    const skipped = reason !== undefined && ({ group, name, verdict: 'skipped', reason, milliseconds: 0 } as const);
    const result = skipped || (await runCheck(check, world));
    results.push(result);
    onResult?.(result);
  }
  const unseen = [...contract.documented].filter((item) => !seen.has(item));
  const passed = results.every(({ verdict }) => verdict !== 'failed');
  const isKeyUnchecked = seen.has('orders 403 client_not_allowed') && !seen.has('orders 404 unknown_token');
  return { mode: world.mode, results, passed, isKeyUnchecked, unseen };
}
