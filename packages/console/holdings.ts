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
