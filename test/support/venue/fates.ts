import { placementOf } from '../../../functions/orders/endpoint.ts';
import { type AppError, isFinal } from '../../../shared/errors.ts';
import type { Fate, Placement } from '../../../shared/venue/port.ts';

/** Returns the placement of a fate, or throws its error, as the endpoint does. */
export async function settled(sending: Promise<Fate>, orderId = ''): Promise<Placement> {
  return placementOf({ orderId, fate: await sending, replayed: false }, undefined);
}

/** The fate that an adapter which keeps to the contract tells by an error. */
export function fateOfError(error: AppError): Fate {
  if (error.code === 'outcome_unknown') return { kind: 'unknown', why: 'sent', sentAt: 0, cause: error };
  if (isFinal(error.code)) return { kind: 'refused', error };
  return {
    kind: 'not_taken',
    error,
    freesKey: error.code === 'venue_refused_service' || error.code === 'unknown_token',
  };
}
