import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { addService } from '../../../infra/app.ts';
import { buildAssets } from '../../../infra/build.ts';
import type { ServiceStack } from '../../../infra/service-stack.ts';

/** The address of a key that was published with a tool for tests; nobody keeps money there. */
export const WALLET_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
export const WALLET_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const SECRET_NAME = 'rig/wallet';

/** What `-c` needs for a deployment that places orders. */
export const ORDER_CONTEXT = {
  placeOrder: 'true',
  walletAddress: WALLET_ADDRESS.toLowerCase(),
  privateKeySecret: SECRET_NAME,
  region: 'eu-west-1',
} as const;

/** What `-c` needs besides for orders that everybody may send. */
export const PUBLIC = { orderAccess: 'public', clientVerification: 'required', maxDailyNotional: '100' } as const;

/** What the command line asks for too: which construct a resource comes from, and which folder its code. */
const METADATA = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true } as const;

/** An app with the service, as `cdk synth -c name=value` makes it on a machine without AWS configuration. */
export function createServiceApp(
  assets: string,
  context: Readonly<Record<string, unknown>> = {},
  outdir?: string,
): { readonly app: App; readonly stack: ServiceStack } {
  const app = new App({ context: { ...METADATA, ...context }, ...(outdir !== undefined && { outdir }) });
  return { app, stack: addService(app, assets, { account: undefined, region: undefined }) };
}

/** Builds the assets into `folder` and synthesizes; gives the folder of the cloud assembly. */
export async function synthesize(folder: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const assets = join(folder, 'build');
  await buildAssets(assets);
  return createServiceApp(assets, context, join(folder, 'cdk.out')).app.synth().directory;
}
