import type { Side } from './market.ts';
import { notional } from './millionths.ts';

/** Holdings of an address at first sight, in millionths. */
export interface Faucet {
  readonly collateral: bigint;
  readonly shares: bigint;
}

/** Holdings by address, in millionths. An address that was never seen holds what the faucet gives. */
export class Ledger {
  readonly #faucet: Faucet;
  readonly #holdings = new Map<string, bigint>();

  constructor(faucet: Faucet) {
    this.#faucet = faucet;
  }

  collateral(address: string): bigint {
    return this.#holdings.get(address) ?? this.#faucet.collateral;
  }

  shares(address: string, tokenId: string): bigint {
    return this.#holdings.get(`${address}/${tokenId}`) ?? this.#faucet.shares;
  }

  /** Overrides the faucet for one address; without a token it sets the collateral. */
  set(address: string, tokenId: string | null, amount: bigint): void {
    this.#holdings.set(tokenId === null ? address : `${address}/${tokenId}`, amount);
  }

  /** Takes a fee; makers pay none. */
  charge(address: string, fee: bigint): void {
    this.set(address, null, this.collateral(address) - fee);
  }

  /** Books one side of a fill: a purchase pays collateral for shares, a sale the reverse. */
  settle(address: string, fill: { tokenId: string; side: Side; size: bigint; price: bigint }): void {
    const sign = fill.side === 'BUY' ? 1n : -1n;
    const { tokenId, size, price } = fill;
    this.set(address, null, this.collateral(address) - sign * notional(size, price));
    this.set(address, tokenId, this.shares(address, tokenId) + sign * size);
  }
}
