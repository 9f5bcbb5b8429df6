import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { order, type Row } from './requests.ts';

/** Requests that the venue refuses, or answers with a fault. */
export function venueRows(token: string): readonly Row[] {
  const onOrder = (fault: FaultOrder['fault'], more: Partial<FaultOrder> = {}) => [
    { fault, method: 'POST', path: '/order', times: 9, ...more },
  ];
  const refused = (text: string) => onOrder('refuse', { text });
  const request = order(token);
  return [
    {
      name: 'a post-only order that crosses',
      request: order(token, { price: 0.6 }),
      status: 422,
      code: 'post_only_would_cross',
    },
    {
      name: 'a small taker',
      request,
      faults: refused('invalid amount for a marketable BUY order ($0.5), min size: $1'),
      status: 422,
      code: 'notional_below_minimum',
    },
    {
      name: 'a closed market',
      request,
      faults: refused('the market is not yet ready to process new orders'),
      status: 422,
      code: 'market_not_accepting_orders',
    },
    {
      name: 'an empty account',
      request,
      faults: refused('not enough balance / allowance: the balance is not enough -> balance: 17'),
      status: 422,
      code: 'insufficient_balance',
    },
    {
      name: 'a refusal that nobody knows',
      request,
      faults: refused('invalid expiration'),
      status: 422,
      code: 'order_rejected',
    },
    {
      name: 'the wrong signature',
      request,
      faults: refused('order_version_mismatch'),
      status: 502,
      code: 'venue_refused_service',
    },
    {
      name: 'the wrong kind of wallet',
      request,
      faults: refused('maker address not allowed, please use the deposit wallet flow'),
      status: 502,
      code: 'venue_refused_service',
    },
    { name: 'a refused region', request, faults: onOrder('region'), status: 502, code: 'venue_refused_service' },
    { name: 'a firewall', request, faults: onOrder('firewall'), status: 502, code: 'venue_refused_service' },
    {
      name: 'refused credentials',
      request,
      faults: onOrder('unauthorized'),
      status: 502,
      code: 'venue_refused_service',
    },
    { name: 'a halted venue', request, faults: onOrder('halted'), status: 503, code: 'venue_unavailable' },
    {
      name: 'a venue that only cancels',
      request,
      faults: onOrder('cancel-only'),
      status: 503,
      code: 'venue_unavailable',
    },
    { name: 'a full venue', request, faults: onOrder('rate-limit'), status: 429, code: 'rate_limited' },
    {
      name: 'a fault after which nobody knows',
      request,
      faults: [...onOrder('error-500-after'), { fault: 'error-500', method: 'GET', path: '/data', times: 99 }],
      status: 504,
      code: 'outcome_unknown',
    },
  ];
}
