import { placementOf } from '../../../functions/orders/endpoint.ts';
import type { Book } from '../../../shared/contract/book.ts';
import { AppError, FINAL_CODES } from '../../../shared/errors.ts';
import type { Orders } from '../../../shared/orders/orders.ts';
import type { OrderRequest } from '../../../shared/orders/turn.ts';
import type { Fate, MarketData, Placement } from '../../../shared/venue/port.ts';

/** For tests whose subject is not the venue. */
export const TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';

/** The book that the fake venue answers with. */
const BOOK: Book = {
  token_id: TOKEN_ID,
  condition_id: `0x${'ab'.repeat(32)}`,
  bids: [{ price: '0.51', size: '1123' }],
  asks: [{ price: '0.52', size: '900.5' }],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: null,
  timestamp: '2026-10-05T09:10:10.525Z',
  hash: 'b7e1',
};

/** No markets, and one book. */
export function fakeMarketData(overrides: Partial<MarketData> = {}): MarketData {
  return {
    listMarkets: async () => ({ items: [], has_more: true }),
    readBook: async (tokenId) => {
      if (tokenId === TOKEN_ID) return BOOK;
      throw new AppError('No order book exists for this token id.', { code: 'unknown_token' });
    },
    ...overrides,
  };
}

/** The wallet of the fake orders. */
export const WALLET_ADDRESS = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';

/** The placement that the fake orders answer with. */
export const PLACEMENT: Placement = {
  orderId: `0x${'cd'.repeat(32)}`,
  status: 'live',
  filledSize: '0',
  remainingSize: '10',
  filledValue: '0',
  transactionHashes: [],
  tradeIds: [],
};

/** Orders that keep what they were asked to place. */
export interface FakeOrders extends Orders {
  readonly placed: OrderRequest[];
}

/** Accepts every order, with the placement of `place`. */
export function fakeOrders(place: () => Promise<Placement> = async () => PLACEMENT): FakeOrders {
  const placed: OrderRequest[] = [];
  return {
    placed,
    walletAddress: WALLET_ADDRESS,
    checkClock: async () => undefined,
    place: async (request) => {
      placed.push(request);
      const placement = await place();
      return { orderId: placement.orderId, fate: { kind: 'placed', placement }, replayed: false };
    },
  };
}

/** Returns the placement of a fate, or throws its error, as the endpoint does. */
export async function settled(sending: Promise<Fate>, orderId = ''): Promise<Placement> {
  return placementOf({ orderId, fate: await sending, replayed: false }, undefined);
}

/** The fate that an adapter which keeps to the contract tells by an error. */
export function fateOfError(error: AppError): Fate {
  if (error.code === 'outcome_unknown') return { kind: 'unknown', why: 'sent', sentAt: 0, cause: error };
  if (FINAL_CODES.includes(error.code)) return { kind: 'refused', error };
  const freesKey = error.code === 'venue_refused_service' || error.code === 'unknown_token';
  return { kind: 'not_taken', error, freesKey };
}
