import assert from 'node:assert/strict';
import { expectMembers } from './answer.ts';
import { controlOf, processOf, section } from './check.ts';

/** The key of the services of the tests, its address and its Safe. */
const KEY = `0x${'11'.repeat(32)}`;
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const SAFE = '0x75F00B003FBBBA193FABEB06284c3187a4C1232E';

/** Checks of `GET /health`. */
export const HEALTH = section('health', [], {
  'says what the service is, and ignores a query': async ({ ask, mode, client }) => {
    const answer = await ask({ operation: 'health', target: '/health?ignored=1' });
    assert.equal(answer.status, 200);
    const client_verification = client ? 'required' : 'off';
    expectMembers(answer, {
      status: 'ok',
      mode,
      client_verification,
      settlement_chain: 'polygon',
    });
  },
  'says if clients must sign their orders': {
    needs: ['verified clients'],
    settings: { SERVICE_CLIENT_VERIFICATION: 'required' },
    run: async ({ ask }) => {
      expectMembers(await ask({ operation: 'health', target: '/health' }), { client_verification: 'required' });
    },
  },
  'calls nothing upstream': {
    needs: ['paper venue'],
    run: async (world) => {
      const { venue } = controlOf(world);
      const before = venue.requests().length;
      await world.ask({ operation: 'health', target: '/health' });
      assert.equal(venue.requests().length, before);
    },
  },
  'names the funder and the wallet of a configured key, also without the opt-in': {
    needs: ['process'],
    proves: ['SERVICE_PRIVATE_KEY', 'SERVICE_FUNDER_ADDRESS'],
    run: async (world) => {
      const { start } = processOf(world);
      const health = async (settings: Parameters<typeof start>[0]) =>
        (await start(settings)).ask({ operation: 'health', target: '/health' });
      const unset = await health({ SERVICE_PRIVATE_KEY: '', SERVICE_PLACE_ORDER: '' });
      expectMembers(unset, { mode: 'read-only', wallet_address: null, funder_address: undefined, venue: 'polymarket' });
      const keyOnly = await health({ SERVICE_PRIVATE_KEY: KEY, SERVICE_PLACE_ORDER: '' });
      expectMembers(keyOnly, { mode: 'read-only', wallet_address: WALLET });
      const funded = await health({ SERVICE_PRIVATE_KEY: KEY, SERVICE_FUNDER_ADDRESS: SAFE.toLowerCase() });
      expectMembers(funded, { mode: 'order-placing', wallet_address: WALLET, funder_address: SAFE });
    },
  },
});
