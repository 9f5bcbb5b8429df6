import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes a value as DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), value]);
}

const [INTEGER, BIT_STRING, UTF8_TEXT, UTC_TIME, SEQUENCE, SET] = [0x02, 0x03, 0x0c, 0x17, 0x30, 0x31] as const;
const ECDSA_WITH_SHA256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

function pem(label: string, bytes: Buffer): string {
  return `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`;
}

/** Creates a key and a certificate for `localhost` that it has signed itself. */
export function createCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_TEXT, Buffer.from('localhost')))));
  const from = der(UTC_TIME, Buffer.from('200101000000Z'));
  const until = der(UTC_TIME, Buffer.from('491231235959Z'));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const serial = der(INTEGER, Buffer.from([1]));
  const signed = der(SEQUENCE, serial, ECDSA_WITH_SHA256, name, der(SEQUENCE, from, until), name, spki);
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', der(SEQUENCE, signed, ECDSA_WITH_SHA256, signature)),
  };
}
