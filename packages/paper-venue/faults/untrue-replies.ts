import { z } from 'zod';
import { hashed } from '../exchange/book-view.ts';
import { json, parsedBody, type Reply } from '../http/router.ts';
import type { Fault } from './faults.ts';

/** Any JSON object, with its members in their order: a schema of named members would put those first. */
const members = z.record(z.string(), z.unknown());
const levels = z.array(z.object({ price: z.string(), size: z.string() }));
const book = z.object({ hash: z.string(), bids: levels, asks: levels, version: z.string().optional() });
const profile = z.object({ proxyWallet: z.string() });
const approvals = z.object({
  data: z.looseObject({ contracts: z.array(z.looseObject({ id: z.string(), amount: z.string().optional() })) }),
});
const balance = z.object({ balance: z.string() });
const markets = z.object({ markets: z.array(z.looseObject({})) });

type Change = (reply: Reply, text: string | undefined) => Reply;

/**
 * Creates a change of some members of an answer that fits the schema; the members keep their order. Any other answer, such
 * as a refusal, stays as it is.
 */
function changing<T>(schema: z.ZodType<T>, change: (answer: T, text: string | undefined) => object): Change {
  return (reply, text) => {
    const body = parsedBody(reply.body);
    const answer = schema.safeParse(body);
    if (!answer.success) return reply;
    return { ...reply, body: JSON.stringify({ ...members.parse(body), ...change(answer.data, text) }) };
  };
}

/** Creates a change of a book whose hash fits the changed book. */
function rehashing(change: (answer: z.infer<typeof book>) => object): Change {
  const changed = changing(book, change);
  const rehashed = changing(members, (answer) => hashed({ ...answer, hash: '' }));
  return (reply) => {
    const other = changed(reply, undefined);
    return other === reply ? reply : rehashed(other, undefined);
  };
}

/** Moves the first level of a book off every tick grid. */
function withLevelOffTick({ bids, asks }: z.infer<typeof book>) {
  const moved = (side: z.infer<typeof levels>) =>
    side.map((level, index) => (index === 0 ? { ...level, price: `${level.price}00005` } : level));
  return { bids: moved(bids), asks: moved(asks) };
}

const UNTRUE: Readonly<Record<string, Change>> = {
  'geoblock-country': (_reply, text = 'GB') => {
    const [country = '', region = ''] = text.split('-');
    return json({ blocked: true, ip: '203.0.113.7', country, region });
  },
  'no-funds': changing(balance, () => ({ balance: '0' })),
  'missing-approval': changing(approvals, ({ data }, id = 'V2PositionManagerExchangeIsApprovedForAll') => ({
    data: {
      ...data,
      contracts: data.contracts.map((row) =>
        row.id === id ? { ...row, ...(row.amount === undefined ? {} : { amount: '0' }), approved: false } : row,
      ),
    },
  })),
  // Replaces a 404 too: this account has a wallet at the website.
  'other-proxy-wallet': (_reply, text = `0x${'0b'.repeat(20)}`) => json({ name: 'Somebody', proxyWallet: text }),
  'wallet-not-deployed': changing(profile, () => ({ walletActivated: false })),
  'other-version': (_reply, text = '4') => json({ version: Number(text) }),
  'unusable-market': changing(markets, ({ markets: [first, ...others] }) => ({
    markets: first === undefined ? [] : [{ ...first, version: 'v1', clobTokenIds: '["0x1f", "0x2f"]' }, ...others],
  })),
  'bad-book-hash': changing(book, () => ({ hash: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' })),
  'off-tick-level': rehashing(withLevelOffTick),
  'other-book-version': rehashing(({ version }) => ({ version: version === undefined ? 'v2' : 'v1' })),
};

/** Changes the fact that a fault is about; answers without that fact stay as they are. */
export function untrue({ fault, text }: Fault, reply: Reply): Reply {
  return UNTRUE[fault]?.(reply, text) ?? reply;
}
