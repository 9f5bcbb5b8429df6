import * as z from 'zod/mini';
import { compareDecimals, type Decimal, ONE, parseDecimal } from '../../../decimal.ts';
import { withoutControls } from '../../../foreign-text.ts';
import { isTokenId } from '../../../token-id.ts';
import { decimalOrNull, epochMs, lenient, lenientConditionId, readBy } from '../wire.ts';

// What the orders and the trades of an account have in common.

/** Creates the schema of a text that a function reads; the function returns `undefined` for a text that it cannot read. */
export function textBy<T>(read: (text: string) => T | undefined) {
  return z.nonoptional(z.pipe(z.string(), z.transform(read)));
}

function readAmount(value: unknown): Decimal | undefined {
  return parseDecimal(decimalOrNull(value) ?? '');
}

function readPrice(value: unknown): Decimal | undefined {
  const found = readAmount(value);
  return found && compareDecimals(found, ONE) <= 0 ? found : undefined;
}

/** A decimal at or above zero. */
export const amount = z.nonoptional(readBy(readAmount));
/** Collateral for a share, from 0 to 1. */
export const price = z.nonoptional(readBy(readPrice));
export const side = textBy((text) => ({ BUY: 'buy' as const, SELL: 'sell' as const })[text.toUpperCase()]);
export const tokenId = textBy((text) => (isTokenId(text) ? text : undefined));
export const conditionId = z.pipe(lenientConditionId, z.string());
/** In milliseconds of the Unix epoch. */
export const time = z.nonoptional(readBy(epochMs));
/** The name of a state, in lower case; the venue sends it with a prefix, or without. */
export const status = textBy((text) => withoutControls(text.replace(/^(?:ORDER|TRADE)_STATUS_/i, '').toLowerCase()));
/** A text that only people read. */
export const shownText = lenient(textBy((text) => withoutControls(text)));
