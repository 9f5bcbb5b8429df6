import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { computeAddress } from 'ethers';
import { z } from 'zod';
import { type FakeKms, startKms } from '../../../tools/support/kms.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { type PaperService, startPaperService } from '../../support/service/paper-service.ts';

const KMS_KEY = 'alias/orders';
const ADDRESS = computeAddress(`0x${PAPER_KEY}`);

let kms: FakeKms;

beforeAll(async () => {
  kms = await startKms(KMS_KEY, PAPER_KEY);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
});

beforeEach(() => {
  kms.behave({});
  kms.actions.length = 0;
});

afterAll(() => kms.close());

async function startOnKms(): Promise<PaperService> {
  return startPaperService({ SERVICE_PRIVATE_KEY: undefined, SERVICE_KMS_KEY: KMS_KEY, SERVICE_LOG_LEVEL: 'info' });
}

const markets = z.object({ items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })) });

async function place({ url }: PaperService, key: string) {
  const { items } = markets.parse(await (await fetch(`${url}/v1/markets?limit=1`)).json());
  const response = await fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({
      token_id: items[0]?.outcomes[0]?.token_id,
      side: 'buy',
      price: '0.01',
      size: '100',
      post_only: true,
    }),
  });
  return { status: response.status, body: await response.json() };
}

describe('a service with its key in KMS', () => {
  it('places orders that the venue verifies, by one signature an order', async () => {
    const service = await startOnKms();
    expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({ wallet_address: ADDRESS });
    const first = await place(service, 'a');
    expect(first).toMatchObject({ status: 201, body: { status: 'live', wallet_address: ADDRESS } });
    // One signature derives the API credentials.
    expect(kms.actions).toStrictEqual(['GetPublicKey', 'Sign', 'Sign']);
    expect((await place(service, 'b')).status).toBe(201);
    expect(await place(service, 'a')).toStrictEqual(first);
    expect(kms.actions).toHaveLength(4);
  });

  it('answers 503 with the missing permission in the log, and leaves the key free', async () => {
    const service = await startOnKms();
    await place(service, 'warm');
    kms.behave({ error: 'AccessDeniedException', errorOf: 'Sign' });
    expect(await place(service, 'c')).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    expect(JSON.stringify(service.lines)).toContain('AWS denies kms:Sign on the key of SERVICE_KMS_KEY');
    kms.behave({});
    expect((await place(service, 'c')).status).toBe(201);
  });
});
