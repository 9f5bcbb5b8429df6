import { formatUnits, parseUnits } from '../client/client.ts';
import { SUM_DECIMALS } from './figures.ts';

/** Collateral and shares of the chosen outcome that no open order has reserved. */
export interface Holdings {
  readonly freeCollateral: string;
  readonly freeShares: string;
  readonly shares: string;
}

/** Order of the user, as the venue has it. */
export interface OwnOrder {
  readonly id: string;
  readonly tokenId: string;
  readonly side: 'buy' | 'sell';
  readonly outcome: string;
  readonly price: string;
  readonly size: string;
  readonly filled: string;
  /** Collateral for the filled shares, before fees; `null` where the venue does not tell. */
  readonly value: string | null;
  readonly fee: string;
  /** Time at which the venue accepted it, in epoch milliseconds. */
  readonly acceptedAt: number;
  /** Status in the venue's word, in lower case: `live` while it rests on a book. */
  readonly status: string;
}

type Position = ReturnType<typeof positionOf>;

/** Sums up the orders of one outcome: `net` is bought less sold, in 10^-18 shares, `paid` with the fees, in 10^-36. */
function positionOf(orders: readonly OwnOrder[]) {
  const sum = (side: 'buy' | 'sell', name: 'filled' | 'value' | 'fee', decimals = SUM_DECIMALS) =>
    orders.reduce((all, order) => (order.side === side ? all + parseUnits(order[name] ?? '0', decimals) : all), 0n);
  const [bought, sold] = [sum('buy', 'filled', 18), sum('sell', 'filled', 18)];
  const paid = sum('buy', 'value') + sum('buy', 'fee') + sum('sell', 'fee') - sum('sell', 'value');
  const [value, shares] = bought < sold ? [sum('sell', 'value'), sold] : [sum('buy', 'value'), bought];
  const [{ tokenId, outcome } = { tokenId: '', outcome: '' }] = orders;
  return { tokenId, outcome, net: bought - sold, paid, average: formatUnits(value / shares / 10n ** 14n, 4) };
}

/** Sums up the filled orders of each outcome. */
export function positionsIn(orders: readonly OwnOrder[]): readonly Position[] {
  const filled = orders.filter(({ filled: shares, value }) => shares !== '0' && value !== null);
  return [...Map.groupBy(filled, ({ tokenId }) => tokenId).values()].map(positionOf);
}

/** Returns what a position would have won if it were closed at a price; a loss has a minus. */
export function profitAt({ net, paid }: Position, price: string): string {
  return formatUnits(net * parseUnits(price) - paid, SUM_DECIMALS);
}
