import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import type { Settings } from '../settings/settings.ts';
import { type CommonProps, ServiceFunction } from './service-function.ts';

/** Adds the three functions that cannot trade. If orders are enabled, health gets the address of the wallet. */
export function addReaders(scope: Construct, { environment, orders }: Settings, common: CommonProps) {
  // Longer than a read's budget of 9 s.
  const reader = { ...common, environment, timeoutMs: LAMBDA_TIMEOUT_MS.reads };
  return {
    health: new ServiceFunction(scope, 'Health', {
      ...common,
      name: 'health',
      description: 'GET /health, and the answer to every request that no other function takes',
      memory: 256,
      timeoutMs: LAMBDA_TIMEOUT_MS.health,
      environment: { ...environment, ...orders?.walletVariables },
    }),
    markets: new ServiceFunction(scope, 'Markets', {
      ...reader,
      name: 'markets',
      description: 'GET /v1/markets: markets on which an order can be placed now',
      memory: 1024,
    }),
    book: new ServiceFunction(scope, 'Book', {
      ...reader,
      name: 'book',
      description: 'GET /v1/book/{token_id}: the order book of an outcome token',
      // A warm book fits into the CPU time that 768 MB get per 20 ms; a cold start takes 30 ms longer than at 1024 MB.
      memory: 768,
    }),
  };
}

export type Readers = ReturnType<typeof addReaders>;
