import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { getBytes } from 'ethers/utils';
import { SECP256K1_ORDER } from '../account.ts';
import { type AwsRoute, awsClientOptions } from '../aws-client.ts';
import { refuse } from '../errors.ts';
import { KMS_MS } from '../limits.ts';
import { ConfigError } from '../settings/formats.ts';
import { addressOf, recoverAddress, type Wallet } from './evm-key.ts';

/** Returns the sentence for the operator about a failed call of KMS. The messages of AWS name keys and roles, never key material. */
function sentenceOn(error: unknown, action: 'kms:Sign' | 'kms:GetPublicKey', keyId: string): string {
  const { name = 'unknown', message = '' } = error instanceof Error ? error : {};
  if (name === 'AccessDeniedException') {
    return `AWS denies ${action} on the key of SERVICE_KMS_KEY: allow it in the role of the service and in the policy of the key.`;
  }
  return `${action} on the key of SERVICE_KMS_KEY failed: ${name}${message && `, ${message.replaceAll(keyId, '[key]').replace(/\.$/, '')}`}.`;
}

/** Reads a length or an integer of a DER signature. Throws a `RangeError` for other bytes. */
function readInteger(der: Uint8Array, at: number): { readonly value: bigint; readonly end: number } {
  const end = at + 2 + (der[at + 1] ?? 0);
  const digits = Buffer.from(der.subarray(at + 2, end)).toString('hex');
  if (der[at] !== 0x02 || end > der.length || digits === '') throw new RangeError('KMS sent no DER signature');
  return { value: BigInt(`0x${digits}`), end };
}

/**
 * Reads a signature as KMS writes it (DER: a sequence of r and s) and returns r and a low s as 64 bytes of hex with `0x`.
 * KMS returns a high s in half of its signatures, which the exchange contracts refuse (EIP-2).
 */
export function lowS(der: Uint8Array): string {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw new RangeError('KMS sent no DER signature');
  const r = readInteger(der, 2);
  const s = readInteger(der, r.end);
  if (s.end !== der.length) throw new RangeError('KMS sent no DER signature');
  const low = s.value > SECP256K1_ORDER / 2n ? SECP256K1_ORDER - s.value : s.value;
  return `0x${[r.value, low].map((value) => value.toString(16).padStart(64, '0')).join('')}`;
}

/** Returns the address (EIP-55) of a public key as KMS writes it (DER, X.509); throws for one of another curve. */
function addressOfPublicKey(der: Uint8Array): string {
  const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'secp256k1') throw new RangeError('a key of another curve');
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return addressOf(Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));
}

/** Reads the address of a key. Throws `ConfigError` for a key that cannot sign orders, and where KMS does not answer. */
async function readAddress(client: KMSClient, keyId: string): Promise<string> {
  const command = new GetPublicKeyCommand({ KeyId: keyId });
  const key = await client.send(command, { abortSignal: AbortSignal.timeout(KMS_MS.call) }).catch((error: unknown) => {
    throw new ConfigError(sentenceOn(error, 'kms:GetPublicKey', keyId), { cause: error });
  });
  const { KeySpec, KeyUsage, PublicKey } = key;
  if (KeySpec !== 'ECC_SECG_P256K1' || KeyUsage !== 'SIGN_VERIFY') {
    throw new ConfigError(
      `SERVICE_KMS_KEY must name a key with spec ECC_SECG_P256K1 and usage SIGN_VERIFY; it has ${KeySpec} and ${KeyUsage}.`,
    );
  }
  try {
    return addressOfPublicKey(PublicKey ?? new Uint8Array());
  } catch (cause) {
    throw new ConfigError('AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.', { cause });
  }
}

/**
 * Opens a wallet whose key stays in AWS KMS: an id, ARN or alias of an `ECC_SECG_P256K1` key. Reads its public key once;
 * throws `ConfigError` where that fails. Each signature is one request: KMS signs with a fresh nonce, so two signatures of
 * one digest differ. `sign` throws 503 `store_unavailable`, with a cause for the log, where KMS does not sign in time.
 */
export async function openKmsWallet(keyId: string, route: AwsRoute = {}): Promise<Wallet> {
  // An ARN names the region of its key.
  const [, , , region = route.region] = keyId.split(':');
  const client = new KMSClient(awsClientOptions(2, KMS_MS, { ...route, region }));
  const address = await readAddress(client, keyId);

  async function sign(digest: string): Promise<string> {
    const command = new SignCommand({
      KeyId: keyId,
      Message: getBytes(digest),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    });
    const { Signature } = await client.send(command, { abortSignal: AbortSignal.timeout(KMS_MS.call) });
    const rs = lowS(Signature ?? new Uint8Array());
    // KMS does not report which of the two points it signed with.
    if (recoverAddress(digest, rs, 0) === address) return `${rs}1b`;
    if (recoverAddress(digest, rs, 1) === address) return `${rs}1c`;
    throw new RangeError(`signed for another key than ${address}`);
  }

  return {
    address,
    sign: (digest) =>
      sign(digest).catch((error: unknown) => {
        const cause = new Error(sentenceOn(error, 'kms:Sign', keyId), { cause: error });
        throw refuse('store_unavailable', { store: 'kms' }, { cause });
      }),
  };
}
