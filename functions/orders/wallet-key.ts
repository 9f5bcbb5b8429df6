import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { openSigningKey } from '#venue/accounts';
import type { ApiCredentials } from '../../shared/account.ts';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import { SECRET_MS } from '../../shared/limits.ts';
import type { Secret } from '../../shared/secret.ts';
import type { DeployedConfig, KeySource } from '../../shared/settings/config.ts';
import {
  CLOB_KEY,
  CLOB_PASSPHRASE,
  CLOB_SECRET,
  completeCredentials,
  PRIVATE_KEY,
} from '../../shared/settings/credentials.ts';
import { ConfigError, throwProblems } from '../../shared/settings/formats.ts';
import { parseText, readTexts } from '../../shared/settings/read.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';

/** The wallet of a deployment, and the API credentials that are kept with its key. */
export interface WalletKey {
  readonly wallet: Wallet;
  readonly credentials: ApiCredentials | undefined;
}

/** The members of a secret. */
interface SecretMembers {
  readonly privateKey?: Secret;
  readonly credentials: ApiCredentials | undefined;
}

/** The formats of the members. */
const MEMBERS = {
  privateKey: z.optional(PRIVATE_KEY),
  apiKey: z.optional(CLOB_KEY),
  apiSecret: z.optional(CLOB_SECRET),
  apiPassphrase: z.optional(CLOB_PASSPHRASE),
};

const text = z.optional(z.string());
const FORM = 'The secret must be JSON with privateKey, apiKey, apiSecret and apiPassphrase alone.';

/** A member that is not listed is refused: without it a misspelt `apiSecret` would go unnoticed. */
const keyRecord = z.strictObject({ privateKey: text, apiKey: text, apiSecret: text, apiPassphrase: text });

function parseMembers(secret: string): z.infer<typeof keyRecord> {
  try {
    return keyRecord.parse(JSON.parse(secret));
  } catch {
    throw new ConfigError(FORM);
  }
}

/**
 * Parses a secret: a private key in hex, or JSON with `privateKey`, with the API credentials, or with both. Throws
 * `ConfigError`, which never holds a part of the secret.
 */
export function parseSecret(secret: string): SecretMembers {
  const trimmed = secret.trim();
  if (!trimmed.startsWith('{')) {
    return { privateKey: parseText(trimmed, 'The secret', PRIVATE_KEY), credentials: undefined };
  }
  const { values, problems } = readTexts(MEMBERS, parseMembers(trimmed), (name) => `${name} in the secret`);
  throwProblems(problems);
  const { privateKey, apiKey, apiSecret, apiPassphrase } = values;
  const names = ['apiKey', 'apiSecret', 'apiPassphrase'] as const;
  return {
    ...(privateKey && { privateKey }),
    credentials: completeCredentials([apiKey, apiSecret, apiPassphrase], names),
  };
}

/** Creates the reader of the text of the secret with that name or ARN. Each call asks Secrets Manager. */
export function createSecretReader(secretId: string, route?: AwsRoute): () => Promise<string> {
  const client = new SecretsManagerClient(awsClientOptions(2, SECRET_MS, route));
  return async () => {
    const command = new GetSecretValueCommand({ SecretId: secretId });
    const { SecretString } = await client.send(command, { abortSignal: AbortSignal.timeout(SECRET_MS.read) });
    if (SecretString === undefined) throw new Error('The secret must be text, not binary.');
    return SecretString;
  };
}

/**
 * Creates the reader of a deployment's key and API credentials. It rejects where Secrets Manager or KMS fails, or a secret
 * is malformed.
 */
export function createWalletKeyReader(
  source: KeySource,
  { builderCode, proxyEnv }: Pick<DeployedConfig, 'builderCode' | 'proxyEnv'>,
): () => Promise<WalletKey> {
  const name = 'secret' in source ? source.secret : source.credentialsSecret;
  const read = name === undefined ? undefined : createSecretReader(name, { proxyEnv });
  return async () => {
    const { privateKey, credentials } = read ? parseSecret(await read()) : { credentials: undefined };
    if ('kmsKey' in source) {
      if (privateKey) throw new ConfigError(`The secret ${name} must hold no private key: SERVICE_KMS_KEY is set.`);
      return { wallet: await openSigningKey(source, { proxyEnv }), credentials };
    }
    if (!privateKey) throw new ConfigError(FORM);
    return { wallet: await openSigningKey({ privateKey }, { builderCode }), credentials };
  };
}
