import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { ApiCredentials } from '../../account.ts';
import { type AwsRoute, awsClientOptions } from '../../aws-client.ts';
import { SECRET_MS } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import {
  CLOB_KEY,
  CLOB_PASSPHRASE,
  CLOB_SECRET,
  completeCredentials,
  PRIVATE_KEY,
} from '../../settings/credentials.ts';
import { ConfigError, parseText, type TextFormat } from '../../settings/formats.ts';

const text = z.optional(z.string());
const FORM =
  'The secret must be JSON with no other members than privateKey, apiKey, apiSecret and apiPassphrase; each is optional.';

/** Refuses unknown members: a misspelt `apiSecret` would otherwise go unnoticed. */
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
function parseSecret(secret: string): {
  readonly privateKey?: Secret | undefined;
  readonly credentials: ApiCredentials | undefined;
} {
  const trimmed = secret.trim();
  if (!trimmed.startsWith('{')) {
    return { privateKey: parseText(trimmed, 'The secret', PRIVATE_KEY), credentials: undefined };
  }
  const { privateKey, apiKey, apiSecret, apiPassphrase } = parseMembers(trimmed);
  const parse = <T>(member: string | undefined, name: string, format: TextFormat<T>) =>
    member === undefined ? undefined : parseText(member, `${name} in the secret`, format);
  const names = ['apiKey', 'apiSecret', 'apiPassphrase'] as const;
  return {
    privateKey: parse(privateKey, 'privateKey', PRIVATE_KEY),
    credentials: completeCredentials(
      [
        parse(apiKey, 'apiKey', CLOB_KEY),
        parse(apiSecret, 'apiSecret', CLOB_SECRET),
        parse(apiPassphrase, 'apiPassphrase', CLOB_PASSPHRASE),
      ],
      names,
    ),
  };
}

/** Reads the secret with that name or ARN. Throws `ConfigError` where Secrets Manager fails, or the secret is malformed. */
export async function readSecret(name: string, route: AwsRoute) {
  const client = new SecretsManagerClient(awsClientOptions(2, SECRET_MS, route));
  const asked = client.send(new GetSecretValueCommand({ SecretId: name }), {
    abortSignal: AbortSignal.timeout(SECRET_MS.read),
  });
  const { SecretString } = await asked.catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.name : 'unknown';
    throw new ConfigError(
      `The secret ${name} cannot be read (${why}): check the AWS credentials, and that these may call secretsmanager:GetSecretValue on it.`,
      { cause },
    );
  });
  if (SecretString === undefined) throw new ConfigError(`The secret ${name} must be text, not binary.`);
  return parseSecret(SecretString);
}
