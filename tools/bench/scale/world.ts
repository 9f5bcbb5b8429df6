import * as z from 'zod/mini';
import { type RunningProcess, startProcess } from '../processes.ts';
import { PRIVATE_KEY } from '../services.ts';

/** Processes of the service on one table, before one paper venue: all of them on this machine. */
export interface ScaleWorld extends AsyncDisposable {
  readonly services: readonly RunningProcess[];
  /** Makes every sending take so long at the venue, in milliseconds. */
  delayOrders(milliseconds: number): Promise<void>;
  /** Answers so many sendings 429, as with an empty bucket. */
  emptyBucket(sendings: number): Promise<void>;
  /** The ids of all orders that the venue has accepted. */
  orderIds(): Promise<readonly string[]>;
  /** Asks a process for an order under a key. */
  place(service: RunningProcess, key: string): Promise<Reply>;
}

/** An answer, and how long it took. */
export interface Reply {
  /** 0 where no answer came. */
  readonly status: number;
  readonly orderId: string | undefined;
  readonly replayed: boolean;
  /** True where the answer says when to ask again. */
  readonly saysWhen: boolean;
}

const NO_ANSWER: Reply = { status: 0, orderId: undefined, replayed: false, saysWhen: false };
/** Longer than an order takes. */
const ANSWER_LIMIT_MS = 30_000;
const EVERY_SENDING = { method: 'POST', path: '/order' } as const;
const MANY = 1_000_000_000;

const listed = z.object({ items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })) });
const body = z.object({ order_id: z.optional(z.string()) });
const accepted = z.object({ orders: z.array(z.object({ id: z.string() })) });

async function getJson(url: string): Promise<unknown> {
  return JSON.parse(await (await fetch(url)).text());
}

/** Sends the smallest order at the lowest price, which rests. */
async function place(service: RunningProcess, key: string, tokenId: string): Promise<Reply> {
  const order = { token_id: tokenId, side: 'buy', price: '0.01', size: '5', post_only: true };
  try {
    const response = await fetch(`${service.url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const { order_id: orderId } = body.parse(JSON.parse(await response.text()));
    const { headers, status } = response;
    return { status, orderId, replayed: headers.has('idempotency-replayed'), saysWhen: headers.has('retry-after') };
  } catch {
    return NO_ANSWER;
  }
}

/** Starts a venue and services at scale. */
export async function openScaleWorld(processes: number): Promise<ScaleWorld> {
  await using stack = new AsyncDisposableStack();
  const venue = stack.use(await startProcess({ args: ['paper/main.ts', '--port', '0', '--still'] }));
  const table = stack.use(await startProcess({ args: ['tools/bench/scale/table.ts'] }));
  const env = {
    SERVICE_PORT: '0',
    SERVICE_GAMMA_URL: venue.url,
    SERVICE_CLOB_URL: venue.url,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PRIVATE_KEY: PRIVATE_KEY,
    SERVICE_LOG_LEVEL: 'error',
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
  const services: RunningProcess[] = [];
  for (let index = 0; index < processes; index += 1) {
    services.push(stack.use(await startProcess({ args: ['tools/bench/scale/service.ts'], env })));
  }
  const [first] = listed.parse(await getJson(`${services[0]?.url}/v1/markets?limit=1`)).items;
  const tokenId = first?.outcomes[0]?.token_id ?? '';
  const arm = async (fault: object) => {
    await fetch(`${venue.url}/paper/faults`, { method: 'DELETE' });
    await fetch(`${venue.url}/paper/faults`, { method: 'POST', body: JSON.stringify({ ...EVERY_SENDING, ...fault }) });
  };
  const owned = stack.move();
  return {
    services,
    delayOrders: (ms) => arm({ fault: 'delay', ms, times: MANY }),
    emptyBucket: (times) => arm({ fault: 'rate-limit', times, retry_after: 1 }),
    orderIds: async () => accepted.parse(await getJson(`${venue.url}/paper/orders`)).orders.map(({ id }) => id),
    place: (service, key) => place(service, key, tokenId),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
