import type { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../shared/limits.ts';
import { EndpointFunction } from './endpoint-function.ts';

export interface ReadersProps {
  readonly assets: string;
  readonly layer: LayerVersion;
  readonly environment: Readonly<Record<string, string>>;
  /** The settings by which health tells the wallet; empty in a read-only deployment. */
  readonly account: Readonly<Record<string, string>>;
}

export interface Readers {
  readonly health: EndpointFunction;
  readonly markets: EndpointFunction;
  readonly book: EndpointFunction;
}

/** The three functions that cannot trade. */
export function addReaders(scope: Construct, { assets, layer, environment, account }: ReadersProps): Readers {
  const log = { logRetention: RetentionDays.ONE_MONTH, keepLog: false } as const;
  // Above the 9 s within which a read is answered.
  const reader = { assets, layer, environment, memory: 1024, timeoutMs: LAMBDA_TIMEOUT_MS.reads, ...log } as const;
  return {
    health: new EndpointFunction(scope, 'Health', {
      name: 'health',
      description: 'GET /health, and the answer to every path that no other function takes',
      assets,
      environment: { ...environment, ...account },
      memory: 256,
      timeoutMs: LAMBDA_TIMEOUT_MS.health,
      ...log,
    }),
    markets: new EndpointFunction(scope, 'Markets', {
      ...reader,
      name: 'markets',
      description: 'GET /v1/markets: markets on which an order can be placed now',
    }),
    book: new EndpointFunction(scope, 'Book', {
      ...reader,
      name: 'book',
      description: 'GET /v1/book/{token_id}: the order book of an outcome token',
    }),
  };
}
