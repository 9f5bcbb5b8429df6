import * as z from 'zod/mini';
import { readShape } from '../../shared/venue/polymarket/http/reads.ts';
import type { Transport } from '../../shared/venue/polymarket/http/transport.ts';
import type { Call } from '../../shared/venue/port.ts';

/**
 * The approvals that orders need: the id in the venue's catalogue, the contract that may move the account's tokens (in
 * lower case), and the orders that need it (https://docs.polymarket.com, pages "contracts" and "get wallet
 * approvals"). The CLOB notes further spenders with the balance.
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
  /** The venue's own id, or the address of a spender. */
  readonly id: string;
  /** Completes the sentence "it cannot". */
  readonly prevents: string;
  /** Completes a sentence about the id. */
  readonly why: string;
}

/** An approval that is given on the chain, and missing in the notes of the CLOB, which a refresh brings up to date. */
export const NOT_NOTED = 'is given, but the order book has not noted it';

/** The venue's catalogue of approvals, by their ids: true for a given one. */
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
    const isGiven = given.get(id);
    if (!isGiven) return [{ id, prevents, why: isGiven === false ? 'is missing' : 'is not in the list of the venue' }];
    return spender !== undefined && notAllowed.has(spender) ? [{ id, prevents, why: NOT_NOTED }] : [];
  });
  const exchanges = new Set<string | undefined>(APPROVALS.map(([, spender]) => spender));
  // The CLOB may ask about spenders that the catalogue does not list.
  const others = [...notAllowed].filter((spender) => !exchanges.has(spender));
  return [...known, ...others.map((id) => ({ id, prevents: 'buy in some markets', why: 'has no allowance' }))];
}
