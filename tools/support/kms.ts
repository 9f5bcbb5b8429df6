import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pointFromScalar, sign } from 'tiny-secp256k1';
import { z } from 'zod';
import { listenOnLoopback } from './loopback.ts';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** What stands before the point of 65 bytes in an X.509 public key of secp256k1. */
const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/** How the next requests are answered. */
interface KmsBehaviour {
  /** Signs with another key. */
  readonly key?: string;
  /** The name of an error of KMS, for all requests or for one kind. */
  readonly error?: string;
  readonly message?: string;
  readonly errorOf?: 'Sign' | 'GetPublicKey';
  /** Failures before the first success. */
  readonly failures?: number;
  readonly keySpec?: string;
  readonly keyUsage?: string;
  /** In base64. */
  readonly publicKey?: string;
  readonly delayMs?: number;
}

/** A KMS on loopback with one key. */
export interface FakeKms {
  readonly url: string;
  behave(behaviour: KmsBehaviour): void;
  /** The names of the actions that were asked, failures included. */
  readonly actions: string[];
  close(): void;
}

const getPublicKey = z.object({ KeyId: z.string() });
const signDigest = z.object({
  KeyId: z.string(),
  Message: z.base64(),
  MessageType: z.literal('DIGEST'),
  SigningAlgorithm: z.literal('ECDSA_SHA_256'),
});

/** Writes an integer of DER: a leading zero keeps it positive. */
function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const positive = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  return Buffer.concat([Buffer.of(0x02, positive.length), positive]);
}

/** Writes r and s as a DER sequence. */
export function toDer(r: bigint, s: bigint): Buffer {
  const integers = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, integers.length), integers]);
}

/** Starts a KMS with a key of 64 hex digits. Every second signature has a high s; each has a nonce of its own. */
export async function startKms(keyId: string, privateKey: string): Promise<FakeKms> {
  let behaviour: KmsBehaviour = {};
  let failures = 0;
  let signatures = 0;
  const actions: string[] = [];

  function signWith(hex: string, digest: Buffer): Buffer {
    signatures += 1;
    const nonce = Buffer.alloc(32);
    nonce.writeUInt32BE(signatures);
    const compact = Buffer.from(sign(digest, Buffer.from(hex, 'hex'), nonce)).toString('hex');
    const [r, s] = [BigInt(`0x${compact.slice(0, 64)}`), BigInt(`0x${compact.slice(64)}`)];
    return toDer(r, signatures % 2 === 0 ? CURVE_ORDER - s : s);
  }

  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    };
    const action = String(request.headers['x-amz-target']).replace('TrentService.', '');
    const body = await json(request);
    actions.push(action);
    const { key = privateKey, error, errorOf = action, delayMs = 0 } = behaviour;
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    const fails = error !== undefined && errorOf === action && failures > 0;
    if (fails) {
      failures -= 1;
      return reply(400, { __type: error, message: behaviour.message ?? `no ${action}` });
    }
    const [, , , region] = keyId.split(':');
    // As KMS does: the key of an ARN is in its region alone.
    const isHere = region === undefined || request.headers.authorization?.includes(`/${region}/kms/`);
    if (getPublicKey.parse(body).KeyId !== keyId || !isHere)
      return reply(400, { __type: 'NotFoundException', message: 'no such key' });
    if (action === 'GetPublicKey') {
      const point = pointFromScalar(Buffer.from(privateKey, 'hex'), false) ?? Buffer.alloc(0);
      return reply(200, {
        KeyId: keyId,
        KeySpec: behaviour.keySpec ?? 'ECC_SECG_P256K1',
        KeyUsage: behaviour.keyUsage ?? 'SIGN_VERIFY',
        SigningAlgorithms: ['ECDSA_SHA_256'],
        PublicKey: behaviour.publicKey ?? Buffer.concat([SPKI, point]).toString('base64'),
      });
    }
    if (action !== 'Sign') return reply(400, { __type: 'InvalidAction' });
    const { Message, SigningAlgorithm } = signDigest.parse(body);
    const signature = signWith(key, Buffer.from(Message, 'base64')).toString('base64');
    return reply(200, { KeyId: keyId, Signature: signature, SigningAlgorithm });
  });

  return {
    url: await listenOnLoopback(server),
    behave: (next) => {
      behaviour = next;
      failures = next.failures ?? Number.POSITIVE_INFINITY;
    },
    actions,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
