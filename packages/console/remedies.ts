import { type OrderBookError, type OrderRequest, roundToTick } from '../client/client.ts';

/** Change of the form that mends a refused order. */
export interface Remedy {
  readonly label: string;
  readonly change: Partial<Record<'price' | 'size' | 'ends', string> & { readonly post_only: boolean }>;
}

function pricesOnTick(price: string, tickSize: string): readonly string[] {
  const rounded = (['down', 'up'] as const).flatMap((direction) => {
    try {
      return [roundToTick(price, tickSize, direction)];
    } catch {
      // No order can be at the price on that side.
      return [];
    }
  });
  return [...new Set(rounded)];
}

function usePrice(price: string): Remedy {
  return { label: `Use the price ${price}`, change: { price } };
}

function useSize(size: string): Remedy {
  return { label: `Use the size ${size}`, change: { size } };
}

/** Finds what would mend a refused order, from the facts of its error. */
export function remediesFor({ code, facts }: OrderBookError, order: OrderRequest): readonly Remedy[] {
  const { tick_size, min_price, max_price, min_order_size, max_decimals } = facts;
  if (code === 'price_off_tick' && tick_size !== undefined) {
    return pricesOnTick(String(order.price), tick_size).map(usePrice);
  }
  if (code === 'price_out_of_range') return [min_price ?? [], max_price ?? []].flat().map(usePrice);
  if (code === 'size_below_minimum' && min_order_size !== undefined) return [useSize(min_order_size)];
  if (code === 'size_precision' && max_decimals !== undefined) {
    const [whole = '', fraction = ''] = String(order.size).split('.');
    return [useSize(`${whole}.${fraction.slice(0, max_decimals)}`)];
  }
  if (code === 'post_only_would_cross') return [{ label: 'Let it match at once', change: { post_only: false } }];
  if (code === 'expiry_too_soon') return [{ label: 'Let it rest without an end', change: { ends: '' } }];
  return [];
}
