import { createHash, createHmac } from 'node:crypto';

/** Credentials of nobody. */
export const CALLER = {
  accessKeyId: 'AKIDCALLER',
  secretAccessKey: 'a secret of nobody',
  sessionToken: 'a token',
} as const;
/** The region that requests are signed for. */
export const REGION = 'eu-west-1';
/** The same as the AWS SDK finds them in the environment. */
export const AWS_VARIABLES = {
  AWS_ACCESS_KEY_ID: CALLER.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CALLER.secretAccessKey,
  AWS_SESSION_TOKEN: CALLER.sessionToken,
} as const;

/** A request as a server got it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/** The difference of a signature's time from ours that is allowed (AWS: five minutes). */
const TOLERANCE_MS = 300_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/((\d{8})\/([^/]+)\/([^/]+)\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/;

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.sort().join('&');
}

/** Parses a time such as 20261121T131000Z into milliseconds of the Unix epoch. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/**
 * Returns true if a request is signed by `CALLER` with SigV4 for an API of `REGION`: from AWS's description of it
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), without its code.
 */
export function isSignedByCaller({ method, target, headers, body }: ReceivedRequest): boolean {
  const [, keyId, scope = '', day = '', region = '', service = '', names = '', signature] =
    AUTHORIZATION.exec(String(headers['authorization'])) ?? [];
  const time = String(headers['x-amz-date']);
  const signed = names.split(';');
  const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  const isFresh = time.startsWith(day) && Math.abs(timeOf(time) - Date.now()) < TOLERANCE_MS;
  const isForUs = keyId === CALLER.accessKeyId && region === REGION && service === 'execute-api';
  if (!isFresh || !isForUs || headers['x-amz-security-token'] !== CALLER.sessionToken) return false;
  if (!signed.includes('host') || !mustBeSigned.every((name) => signed.includes(name))) return false;
  const [path = '', query = ''] = target.split('?', 2);
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`).join('');
  const encodedPath = path.split('/').map(encode).join('/');
  const request = [method, encodedPath, canonicalQuery(query), lines, names, sha256(body)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${CALLER.secretAccessKey}`);
  return (
    hmac(Buffer.from(key), ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex') === signature
  );
}
