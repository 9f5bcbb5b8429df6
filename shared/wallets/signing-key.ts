import type { SigningKey } from '../account.ts';
import type { AwsRoute } from '../aws-client.ts';
import { ConfigError } from '../settings/formats.ts';
import { openWallet, type Wallet } from './evm-key.ts';

/**
 * Opens the wallet of a key; a key of KMS is of the environment's region unless another one is named. Throws `ConfigError`
 * if KMS returns no public key that can sign orders, and for a private key that equals the builder code.
 */
export async function openSigningKey(
  key: SigningKey,
  { builderCode, region, proxyEnv }: AwsRoute & { readonly builderCode?: string | undefined } = {},
): Promise<Wallet> {
  if ('kmsKey' in key) {
    // Loaded only here: a key in this process needs no client of AWS.
    const { openKmsWallet } = await import('./kms-key.ts');
    return openKmsWallet(key.kmsKey, { region, proxyEnv });
  }
  // Both are 32 bytes of hex, and the code is public.
  if (builderCode === key.privateKey.reveal().toLowerCase()) {
    throw new ConfigError('SERVICE_BUILDER_CODE must not be the private key: it is published with each order.');
  }
  return openWallet(key.privateKey);
}
