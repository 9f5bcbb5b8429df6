import { OrderBookError } from '../../../packages/client/client.ts';

/** Returns the error of a call of the client that fails. */
export async function errorOf(call: Promise<unknown>): Promise<OrderBookError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OrderBookError) return error;
  throw new Error(`not an OrderBookError: ${String(error)}`);
}
