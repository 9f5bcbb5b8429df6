/** Answer to an accepted order in the venue's own names; amounts are decimals, empty when nothing matched. */
export interface OrderAnswer {
  readonly errorMsg: string;
  readonly orderID: string;
  readonly takingAmount: string;
  readonly makingAmount: string;
  readonly status: string;
  readonly transactionsHashes: readonly string[];
  readonly tradeIDs: readonly string[];
  readonly success: boolean;
}

/** Answers with a refusal in the form of an accepted order, which says success all the same: nothing was accepted. */
export function refusedAnswer(errorMsg: string): OrderAnswer {
  const nothing = { orderID: '', takingAmount: '', makingAmount: '', status: '', transactionsHashes: [], tradeIDs: [] };
  return { errorMsg, ...nothing, success: true };
}
