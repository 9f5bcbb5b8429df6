import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Secret } from '../../../../shared/secret.ts';
import { createOrderEntry } from '../../../../shared/venue/polymarket/order-entry.ts';
import { openWallet } from '../../../../shared/wallets/evm-key.ts';
import { listenOnLoopback } from '../../../../tools/support/loopback.ts';
import { CREDENTIALS, limitOrder, PRIVATE_KEY } from '../../../support/orders/trading-world.ts';
import { collectLog } from '../../../support/service/collected-log.ts';
import { bookAnswer } from '../../../support/venue/book-answers.ts';
import { callWithin } from '../../../support/venue/scripted-venue.ts';

let server: Server | undefined;

/** A venue that answers a look-up or a book a second time, late, with a refusal: on the connection of that request. */
async function openBefore(stray: string) {
  const users = new Map<Socket, Set<string>>();
  const sent = { orderId: '' };
  server = createServer((request, response) => {
    const { method, url = '', socket } = request;
    const kind = method === 'POST' ? 'order' : 'read';
    users.set(socket, (users.get(socket) ?? new Set()).add(kind));
    response.setHeader('content-type', 'application/json');
    const query = new URL(url, 'http://venue').searchParams;
    if (kind === 'read') response.end(JSON.stringify(bookAnswer(query.get('token_id') ?? '')));
    else response.end(JSON.stringify({ success: true, errorMsg: '', orderID: sent.orderId, status: 'live' }));
    if (kind === 'read') setTimeout(() => socket.write(stray), 30).unref();
  });
  const clobUrl = await listenOnLoopback(server);
  const account = {
    wallet: openWallet(new Secret(PRIVATE_KEY)),
    signatureType: 'eoa',
    funderAddress: undefined,
  } as const;
  const settings = { clobUrl, ...account, credentials: CREDENTIALS, maxOrderNotional: undefined };
  return { entry: createOrderEntry(settings, collectLog().log), users, sent };
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('the connections that orders are sent on', () => {
  it('carry nothing else, so that a stray answer to a read is no answer to an order', async () => {
    const refusal = '{"error":"not enough balance"}';
    const stray = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`;
    const { entry, users, sent } = await openBefore(stray);
    for (let count = 0; count < 8; count += 1) {
      const signed = await entry.sign(limitOrder(), callWithin());
      sent.orderId = signed.orderId;
      expect((await entry.submit(signed, callWithin())).kind).toBe('placed');
    }
    const uses = [...users.values()].map((kinds) => [...kinds].join());
    expect(new Set(uses)).toStrictEqual(new Set(['read', 'order']));
  });
});
