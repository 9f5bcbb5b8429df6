import type { FinalAnswer, FinishedOrder, UnfinishedOrder } from '../../../shared/orders/record.ts';
import type { SignedFor } from '../../../shared/venue/port.ts';

/** The wallet that the records are signed by. */
export const WALLET = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

/** The account that orders are signed for where it does not matter. */
export const SIGNED_FOR: SignedFor = {
  venue: 'https://venue.example',
  chainId: 137,
  maker: WALLET,
  signatureType: 'eoa',
};

/** An unfinished order of about the size of a real one. */
export function unfinishedOrder(owner: string, orderId = '0xa1'): UnfinishedOrder {
  return {
    state: 'unfinished',
    orderId,
    terms: { tokenId: '7'.repeat(77), side: 'buy', price: '0.5', size: '10', postOnly: true, expiresAt: null },
    conditionId: `0x${'c0'.repeat(32)}`,
    walletAddress: WALLET,
    signedFor: SIGNED_FOR,
    signedAt: 1_790_000_000_000,
    countedOn: null,
    requestId: 'r-1',
    caller: null,
    client: { address: WALLET, isVerified: true },
    payload: `{"order":{"salt":1,"signature":"0x${'1b'.repeat(300)}"}}`,
    sendableUntil: 4_000_000_000_000,
    lease: { owner, until: 1_790_000_030_000 },
    unconfirmedAt: 1_790_000_000_000,
    venueReason: null,
  };
}

/** The fills of an order of ten shares that rests, or is off the book untouched. */
export const NOTHING_FILLED = { filledSize: '0', remainingSize: '10', filledValue: '0' } as const;
/** The fills of an order of which nothing was told. */
export const NOTHING_TOLD = { filledSize: null, remainingSize: null, filledValue: null } as const;

/** The answer of an order that was filled. */
export const PLACED: FinalAnswer = {
  result: 'placed',
  placement: {
    orderId: '0xa1',
    status: 'matched',
    filledSize: '10',
    remainingSize: '0',
    filledValue: '5',
    transactionHashes: ['0x01'],
    tradeIds: ['t-1'],
  },
};

/** The answer of an order that the venue has refused. */
export const REFUSED: FinalAnswer = {
  result: 'refused',
  code: 'post_only_would_cross',
  detail: 'The order would have crossed.',
  facts: { venueReason: 'invalid post-only order: order crosses book' },
};

/** Returns the record of an order with its final answer. */
export function finishedOrder(answer: FinalAnswer, keepUntil = 1_790_090_000_000): FinishedOrder {
  const { payload, sendableUntil, lease, unconfirmedAt, venueReason, ...common } = unfinishedOrder('nobody');
  return { ...common, state: 'finished', answer, keepUntil };
}
