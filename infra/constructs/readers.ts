import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import type { Settings } from '../settings/settings.ts';
import { type CommonProps, EndpointFunction } from './endpoint-function.ts';

interface ReadersProps extends CommonProps {
  readonly settings: Settings;
}

/** Adds the three functions that cannot trade. If orders are enabled, health gets the address of the wallet. */
export function addReaders(scope: Construct, { settings, ...common }: ReadersProps) {
  const { environment, orders } = settings;
  // Above the 9 s within which a read is answered.
  const timeoutMs = LAMBDA_TIMEOUT_MS.reads;
  const reader = { ...common, environment, memory: 1024, timeoutMs } as const;
  return {
    health: new EndpointFunction(scope, 'Health', {
      ...common,
      name: 'health',
      description: 'GET /health, and the answer to every request that no other function takes',
      memory: 256,
      timeoutMs: LAMBDA_TIMEOUT_MS.health,
      environment: { ...environment, ...orders?.walletVariables },
    }),
    markets: new EndpointFunction(scope, 'Markets', {
      ...reader,
      name: 'markets',
      description: 'GET /v1/markets: markets on which an order can be placed now',
    }),
    book: new EndpointFunction(scope, 'Book', {
      ...reader,
      name: 'book',
      // A warm book fits into the CPU time that 768 MB get per 20 ms; a cold start takes 30 ms longer than at 1024 MB.
      memory: 768,
      description: 'GET /v1/book/{token_id}: the order book of an outcome token',
    }),
  };
}

/** The three functions that cannot trade. */
export type Readers = ReturnType<typeof addReaders>;
