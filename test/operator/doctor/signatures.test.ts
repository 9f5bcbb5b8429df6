import { describe, expect, it } from '@jest/globals';
import * as official from '@polymarket/clob-client-v2';
import { checkSignatures } from '../../../operator/doctor/signatures.ts';

describe('the comparison of signatures', () => {
  it('finds them equal, with a builder code too', async () => {
    for (const builderCode of [undefined, `0x${'b1'.repeat(32)}`]) {
      const { status, message } = (await checkSignatures(builderCode)).finding;
      expect(status).toBe('ok');
      expect(message).toMatch(
        /^Orders are signed byte for byte as by @polymarket\/clob-client-v2 \d+\.\d+\.\d+, for every/,
      );
    }
  });

  it('fails where the official client has come to sign otherwise, and says for which orders', async () => {
    /** A client of tomorrow, which signs the orders of protocol v2 under another domain. */
    class OrderBuilder extends official.OrderBuilder {
      override buildOrder(...[order, options, version]: Parameters<official.OrderBuilder['buildOrder']>) {
        return super.buildOrder(order, options, version === 3 ? 2 : version);
      }
    }
    const { finding } = await checkSignatures(undefined, async () => ({ ...official, OrderBuilder }));
    expect(finding).toStrictEqual({
      status: 'fail',
      message: expect.stringMatching(
        /: protocol v2 as eoa, protocol v2 as proxy, protocol v2 as safe, protocol v2 as deposit-wallet\.$/,
      ),
      fix: 'Place none, and update this service.',
    });
  });

  it('is left out where the official client is not installed', async () => {
    const { finding } = await checkSignatures(undefined, () => Promise.reject(new Error('no such package')));
    expect(finding).toMatchObject({ status: 'skip', message: expect.stringContaining('is not installed') });
  });
});
