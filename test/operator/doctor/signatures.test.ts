import { describe, expect, it } from '@jest/globals';
import * as official from '@polymarket/clob-client-v2';
import { checkSignatures } from '../../../operator/doctor/signatures.ts';

describe('the check of signatures', () => {
  it('passes with the installed client', async () => {
    expect((await checkSignatures()).finding.status).toBe('ok');
  });

  it('fails, and names exchange and account, when the client writes an order differently', async () => {
    const changed: typeof official = {
      ...official,
      orderToJsonV2: (order, owner, ...rest) => {
        const json = official.orderToJsonV2(order, owner, ...rest);
        return order.signatureType === official.SignatureTypeV2.POLY_PROXY
          ? { ...json, order: { ...json.order, maker: json.order.signer } }
          : json;
      },
    };
    expect((await checkSignatures(async () => changed)).finding).toStrictEqual({
      status: 'fail',
      message:
        'The bytes of an order differ from those of the official client: plain as proxy, neg-risk as proxy, protocol v2 as proxy.',
      fix: 'Place no order, and update this service.',
    });
  });
});
