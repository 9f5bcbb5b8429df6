import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { challengeOf } from '../conformance/signing.ts';
import { evmWallet, solanaWallet } from '../support/client-wallets.ts';
import { withOrders } from './orders-function.ts';
import type { World } from './world.ts';

/** The deployed function verifies its clients with the cryptography of the layer. */
export function describeVerifiedClients(world: World): void {
  describe('clients that have to sign', () => {
    it('sign what the gateway was asked for, with either kind of wallet', async () => {
      const act: Parameters<typeof withOrders>[1] = async ({ place, sandbox }) => {
        for (const wallet of [evmWallet('2'), await solanaWallet(0x22)]) {
          const client = { 'x-client-address': wallet.address, 'idempotency-key': randomUUID() };
          const wanted = await place(client);
          const { challenge, expires } = challengeOf({ ...wanted, method: 'POST', headers: new Headers() });
          assert.match(challenge, /^Place one order on abc123\.execute-api\.eu-west-1\.amazonaws\.com\n/);
          const headers = { ...client, 'x-client-signature-expires': expires };
          const [forged, signed] = [await wallet.sign('another text'), await wallet.sign(challenge)];
          assert.equal((await place({ ...headers, 'x-client-signature': forged })).status, 401);
          assert.equal((await place({ ...headers, 'x-client-signature': signed })).status, 201);
          assert.match(
            sandbox.output(),
            new RegExp(`"client_address":"${wallet.address}","client_address_verified":true`),
          );
        }
        assert.match(sandbox.output(), /"message":"order signed".*"gateway_request_id":"JKJaXmPLvHcESHA="/);
      };
      await withOrders(world, act, { SERVICE_CLIENT_VERIFICATION: 'required' });
    });
  });
}
