import * as z from 'zod/mini';
import { AppError } from '../../errors.ts';
import type { Placement } from '../port.ts';
import type { VenueHttpResponse } from './transport.ts';
import { decimalText, parseJson } from './wire.ts';

const order = z.object({
  id: z.string(),
  status: z.string(),
  size_matched: decimalText,
  associate_trades: z.catch(z.nullable(z.array(z.string())), null),
});

/** What a look-up proves: `found` only for this very order; not finding it proves nothing (the venue forgets). */
export type LookUp =
  | { readonly kind: 'found'; readonly placement: Placement }
  | { readonly kind: 'cancelled'; readonly error: AppError }
  | { readonly kind: 'not_found' | 'unusable' };

/** Reads the answer of `GET /data/order/{id}` (the venue's documentation: get an order). */
export function classifyLookUp({ status, isJson, text }: VenueHttpResponse, orderId: string): LookUp {
  if (status === 404 && isJson) return { kind: 'not_found' };
  if (status !== 200 || !isJson) return { kind: 'unusable' };
  const body = parseJson(text);
  if (body === null) return { kind: 'not_found' };
  const parsed = order.safeParse(body);
  if (!parsed.success || parsed.data.id.toLowerCase() !== orderId.toLowerCase()) return { kind: 'unusable' };
  const { status: state, size_matched, associate_trades } = parsed.data;
  const name = state.toUpperCase().replace(/^ORDER_STATUS_/, '');
  const executed = size_matched !== '0' || name === 'MATCHED';
  const placement = { orderId, transactionHashes: [], tradeIds: associate_trades ?? [] };
  if (executed) return { kind: 'found', placement: { ...placement, status: 'matched' } };
  if (name === 'LIVE' || name === 'UNMATCHED') return { kind: 'found', placement: { ...placement, status: 'live' } };
  if (name === 'DELAYED') return { kind: 'found', placement: { ...placement, status: 'delayed' } };
  // The whole of it, since it is quoted.
  if (!/^(CANCELE?L?ED|INVALID)[A-Z_]{0,50}$/.test(name)) return { kind: 'unusable' };
  const error = new AppError(
    'The venue has cancelled the order; nothing of it was executed. Order again, with a new Idempotency-Key.',
    {
      code: 'order_rejected',
      facts: { venueReason: state, orderId },
    },
  );
  return { kind: 'cancelled', error };
}
