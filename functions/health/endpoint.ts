import type { Wire } from '../../shared/contract/schemas.ts';
import { LOCAL_BUDGET_MS } from '../../shared/limits.ts';
import type { Mode } from '../../shared/settings/config.ts';
import { VERSION } from '../../shared/version.ts';
import type { Endpoint } from '../http.ts';
import { ROUTES } from '../routes.ts';
import type { healthStatus } from './response.ts';

export interface HealthFacts {
  readonly mode: Mode;
  /** EIP-55 address of the wallet that the service is set to trade with, with or without the opt-in. */
  readonly walletAddress: string | null;
  /** The account that holds the funds, where it is not the key's. */
  readonly funderAddress: string | undefined;
  readonly clientVerification: 'off' | 'required';
  /** Absent for the real venue. */
  readonly venue?: 'paper';
}

function toWire(facts: HealthFacts): Wire<typeof healthStatus> {
  const { mode, walletAddress, funderAddress, clientVerification, venue = 'polymarket' } = facts;
  return {
    status: 'ok',
    mode,
    wallet_address: walletAddress,
    ...(funderAddress !== undefined && { funder_address: funderAddress }),
    client_verification: clientVerification,
    settlement_chain: 'polygon',
    venue,
    version: VERSION,
  };
}

/** Creates `GET /health`: what the service is, and which wallet it is set to trade with. */
export function healthEndpoint(facts: HealthFacts): Endpoint {
  const body = toWire(facts);
  return {
    route: ROUTES.health,
    origins: 'listed',
    budgetMs: LOCAL_BUDGET_MS,
    handler: () => ({ status: 200, body }),
  };
}
