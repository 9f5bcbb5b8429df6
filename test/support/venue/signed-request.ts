import { createHmac } from 'node:crypto';
import type { ApiKeyCreds } from '@polymarket/clob-client-v2';
import { WALLET } from '../../../tools/support/paper-client.ts';
import type { Answer, RunningPaper } from './paper-venue.ts';

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

/** Posts a signed order; `members` go beside it, such as an `orderType` other than GTC. */
export function postOrder(
  paper: RunningPaper,
  creds: ApiKeyCreds,
  order: unknown,
  { at = Date.now(), headers = {}, ...members }: OrderCall = {},
): Promise<Answer> {
  const body = { order, owner: creds.key, orderType: 'GTC', ...members };
  return signedRequest(paper, creds, { method: 'POST', path: '/order', body, at, headers });
}

interface OrderCall extends Readonly<Record<string, unknown>> {
  readonly at?: number;
  readonly headers?: Record<string, string>;
}
