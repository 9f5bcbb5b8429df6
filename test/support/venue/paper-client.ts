import { createHmac } from 'node:crypto';
import { type ApiKeyCreds, Chain, ClobClient, type SignatureTypeV2 } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import type { Answer, RunningPaper } from './paper-venue.ts';

/** An invented key: never used outside tests. */
export const WALLET = new Wallet(`0x${'5a'.repeat(32)}`);

type Fields = Record<string, { name: string; type: string }[]>;

/** An ethers 6 wallet in the shape that the official client takes. */
export function clientSigner(wallet: Wallet) {
  return {
    getAddress: () => wallet.getAddress(),
    _signTypedData: (domain: Record<string, unknown>, types: Fields, value: Record<string, unknown>) =>
      wallet.signTypedData(domain, types, value),
  };
}

export interface Account {
  readonly wallet?: Wallet;
  readonly signatureType?: SignatureTypeV2;
  readonly funderAddress?: string;
}

function options({ url }: Pick<RunningPaper, 'url'>, { wallet = WALLET, signatureType, funderAddress }: Account) {
  const kind = signatureType === undefined ? {} : { signatureType };
  const funder = funderAddress === undefined ? {} : { funderAddress };
  return { host: url, chain: Chain.POLYGON, signer: clientSigner(wallet), throwOnError: true, ...kind, ...funder };
}

/** The official client with credentials made or derived on the paper venue. */
export async function officialClient(paper: Pick<RunningPaper, 'url'>, account: Account = {}) {
  const base = options(paper, account);
  const creds = await new ClobClient({ ...base, throwOnError: false }).createOrDeriveApiKey();
  return { client: new ClobClient({ ...base, creds }), creds };
}

/** L2 headers made here, so that a test can break one of them. */
export function l2Headers(creds: ApiKeyCreds, call: { method: string; path: string; body?: string; at?: number }) {
  const timestamp = String(Math.floor((call.at ?? Date.now()) / 1_000));
  const message = timestamp + call.method + call.path + (call.body ?? '');
  const signature = createHmac('sha256', Buffer.from(creds.secret, 'base64url')).update(message).digest('base64');
  return {
    POLY_ADDRESS: WALLET.address,
    POLY_API_KEY: creds.key,
    POLY_PASSPHRASE: creds.passphrase,
    POLY_TIMESTAMP: timestamp,
    POLY_SIGNATURE: signature.replaceAll('+', '-').replaceAll('/', '_'),
  };
}

/** Sends any body as a signed L2 request. */
export function signedRequest(
  paper: RunningPaper,
  creds: ApiKeyCreds,
  call: { method: string; path: string; body?: unknown; headers?: Record<string, string>; at?: number },
): Promise<Answer> {
  const body = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  const signed = { method: call.method, path: call.path, ...(body === undefined ? {} : { body }) };
  const headers = l2Headers(creds, call.at === undefined ? signed : { ...signed, at: call.at });
  return paper.send(call.method, call.path, body, { ...headers, ...call.headers });
}
