import * as z from 'zod/mini';
import { parseAnswer, readShape, readWithRetry } from '../../shared/venue/polymarket/http/reads.ts';
import type { Transport } from '../../shared/venue/polymarket/http/transport.ts';
import type { Call } from '../../shared/venue/port.ts';

/**
 * The approvals that orders need: the id in the venue's catalogue, the contract that may move the account's tokens (in
 * lower case), and what is impossible without it (https://docs.polymarket.com, pages "contracts" and "get wallet
 * approvals"). The order book notes what else it checks with the balance.
 */
const APPROVALS = [
  ['UsdcExchange', '0xe111180000d2663c0091e4f400237545b87b996b', 'buy in markets of protocol v1'],
  ['UsdcNegRiskExchange', '0xe2222d279d744050d28e00520010520000310f59', 'buy in neg-risk markets of protocol v1'],
  ['PusdV2Exchange', '0xe3333700ca9d93003f00f0f71f8515005f6c00aa', 'buy in markets of protocol v2'],
  ['CtfExchangeIsApprovedForAll', undefined, 'sell in markets of protocol v1'],
  ['CtfNegRiskExchangeIsApprovedForAll', undefined, 'sell in neg-risk markets of protocol v1'],
  ['V2PositionManagerExchangeIsApprovedForAll', undefined, 'sell in markets of protocol v2'],
] as const;

const approvals = z.object({
  data: z.object({ contracts: z.array(z.object({ id: z.string(), approved: z.boolean() })) }),
});

/** An approval that orders need and that is not known to be given. */
export interface LackingApproval {
  /** The venue's own id. */
  readonly id: string;
  /** Completes the sentence "it cannot". */
  readonly prevents: string;
  /**
   * `noted`: given on the chain, and not yet in the notes of the CLOB, which a refresh brings up to date. `other`: of a
   * spender that the CLOB asks about besides those of the catalogue.
   */
  readonly why: 'missing' | 'not told' | 'noted' | 'other';
}

/** The rows of the venue's catalogue of approvals, by their ids: true for one that is given. */
export type Approvals = ReadonlyMap<string, boolean>;

/** `GET /v2/approvals` of the Data API, which follows the chain and may lag behind it. Errors: see `MarketData`. */
export async function readApprovals(data: Transport, account: string, call: Call): Promise<Approvals> {
  const spec = { name: 'read-approvals', method: 'GET', path: `/v2/approvals?user=${account}` } as const;
  const { contracts } = (await readShape(data, spec, approvals, call)).data;
  return new Map(contracts.map(({ id, approved }) => [id, approved]));
}

/** Finds the approvals that orders lack; `notAllowed` holds the spenders that the CLOB has noted as not allowed. */
export function findLacking(given: Approvals, notAllowed: ReadonlySet<string>): readonly LackingApproval[] {
  const known = APPROVALS.flatMap(([id, spender, prevents]): LackingApproval[] => {
    const told = given.get(id);
    if (told === undefined) return [{ id, prevents, why: 'not told' }];
    if (!told) return [{ id, prevents, why: 'missing' }];
    return spender !== undefined && notAllowed.has(spender) ? [{ id, prevents, why: 'noted' }] : [];
  });
  const exchanges = new Set<string | undefined>(APPROVALS.map(([, spender]) => spender));
  const others = [...notAllowed].filter((spender) => !exchanges.has(spender));
  return [...known, ...others.map((id) => ({ id, prevents: 'buy in some markets', why: 'other' }) as const)];
}

const profile = z.object({
  proxyWallet: z.nullish(z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))),
  walletActivated: z.catch(z.nullish(z.boolean()), null),
});

/**
 * `GET /public-profile` of Gamma (https://docs.polymarket.com/api-reference/profiles): the wallet that the website trades
 * with, asked by the key's address or the wallet's own; `null` where it knows none. The venue refuses orders of a deposit
 * wallet that is not deployed on the chain yet. Errors: see `MarketData`.
 */
export async function readProfileWallet(gamma: Transport, address: string, call: Call) {
  const spec = { name: 'read-profile', method: 'GET', path: `/public-profile?address=${address}` } as const;
  const response = await readWithRetry(gamma, spec, call);
  if (response.status === 404 && response.isJson) return null;
  const { proxyWallet, walletActivated } = parseAnswer(response, profile);
  return proxyWallet ? { address: proxyWallet, isDeployed: walletActivated !== false } : null;
}
