import type { Secret } from '../../shared/secret.ts';
import type { FetchLike } from '../../test/contract/ask.ts';
import type { Check, Edge, World } from '../../test/contract/check.ts';
import { costOf } from '../../test/contract/keys.ts';
import { type Result, runChecks } from '../../test/contract/run.ts';
import { CHECKS } from '../../test/contract/sections.ts';
import { openWorld } from '../../test/contract/world.ts';
import { type Credentials, signedFetch, tokenFetch } from './signed-fetch.ts';

/** What to check, and how far to go. */
export interface ConformanceOptions extends Credentials {
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** The private key of a client that may order, where the service lists its clients. Default: a key made for the run. */
  readonly clientKey?: Secret | undefined;
  /** Default: the platform's. */
  readonly fetch?: FetchLike;
  /** Default: the local server's where the host is loopback and nothing is signed. */
  readonly edge?: Edge;
  /** The venue and the log behind the service, where they are under control. */
  readonly control?: World['control'];
  /** Asks for consent to the orders, given their cost. Without it none are placed. */
  readonly confirmOrders?: (cost: string) => Promise<boolean>;
  /** Default: all. */
  readonly checks?: readonly Check[];
  /** Leaves out what takes longer than ten seconds. */
  readonly quick?: boolean;
  /** Hears of each result as soon as it is known. */
  readonly onResult?: (result: Result) => void;
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
  /** On the first answer that was a 5xx. */
  readonly firstFault?: string | undefined;
}

function isLoopback(baseUrl: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname);
}

function openService(options: ConformanceOptions, seen: Set<string>, onFault: (sentence: string) => void) {
  const { baseUrl, fetch: send = globalThis.fetch, sign, token, clientKey } = options;
  const { edge = isLoopback(baseUrl) && !sign && !token ? 'local' : 'gateway' } = options;
  const service = { baseUrl, edge, clientKey, onFault };
  if (sign) return openWorld({ ...service, fetch: signedFetch(sign, send), credentials: 'signature' }, seen);
  if (token === undefined) return openWorld({ ...service, fetch: send }, seen);
  return openWorld({ ...service, fetch: tokenFetch(token, send), credentials: 'token' }, seen);
}

/**
 * Holds a service to the contract. Rejects where there is none, or no market to look at, or where an order is to be placed
 * and a gateway keeps it back.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { confirmOrders, onResult, quick = false, control, checks = CHECKS } = options;
  const seen = new Set<string>();
  const faults: string[] = [];
  const world: World = { ...(await openService(options, seen, (fault) => faults.push(fault))), control };
  if (confirmOrders && world.ordersKeptBack !== undefined) throw new Error(world.ordersKeptBack);
  const agreed = world.mode === 'order-placing' && (await confirmOrders?.(costOf(world))) === true;
  const results: Result[] = [];
  for await (const result of runChecks(checks, world, { agreed, quick, seen })) {
    results.push(result);
    onResult?.(result);
  }
  const unseen = [...world.contract.documented].filter((item) => !seen.has(item));
  const passed = results.every(({ verdict }) => verdict !== 'failed');
  const isKeyUnchecked = seen.has('orders 403 client_not_allowed') && !seen.has('orders 404 unknown_token');
  return { mode: world.mode, results, passed, isKeyUnchecked, unseen, firstFault: faults[0] };
}
