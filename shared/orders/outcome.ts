import { AppError } from '../errors.ts';
import type { Placement, SignedOrder } from '../venue/port.ts';
import { type FinalAnswer, VENUE_REFUSALS } from './record.ts';

export interface PlacedOrder {
  readonly placement: Placement;
  /** Whether this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** 504 `outcome_unknown`: the order may be live. */
export function outcomeUnknown(detail: string, orderId: string, cause?: unknown): AppError {
  return new AppError(detail, { code: 'outcome_unknown', facts: { orderId }, cause });
}

/**
 * Runs what sends an order. When it ends without an outcome, by a fault of ours too, the error says so with the order's
 * id and the advice that fits the caller: the venue's adapter does not know whether there is a key to repeat.
 */
export async function adviseOnUnknown(
  { orderId }: SignedOrder,
  advice: string,
  send: () => Promise<Placement>,
): Promise<Placement> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof AppError && error.code !== 'outcome_unknown') throw error;
    throw outcomeUnknown(`The order may be live. ${advice}`, orderId, error);
  }
}

/** The final answer in an error: the venue's own refusal. `undefined` where the error proves nothing. */
export function toRefusal(error: unknown): FinalAnswer | undefined {
  if (!(error instanceof AppError)) return undefined;
  const code = VENUE_REFUSALS.find((refusal) => refusal === error.code);
  if (code === undefined) return undefined;
  const { errors, reason, maxNotional, ...facts } = error.facts;
  return { result: 'refused', code, detail: error.message, facts };
}

/** A final answer as it is given: a placement, or the refusal thrown. */
export function giveAnswer(answer: FinalAnswer, replayed: boolean): PlacedOrder {
  if (answer.result === 'placed') return { placement: answer.placement, replayed };
  const { code, detail, facts } = answer;
  throw new AppError(detail, { code, facts, replayed });
}
