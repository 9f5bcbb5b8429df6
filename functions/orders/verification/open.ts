import type { DeployedConfig, LocalConfig } from '../../../shared/settings/config.ts';
import type { ClientVerification } from './verification.ts';

type Settings = Pick<LocalConfig | DeployedConfig, 'orders' | 'clientVerification' | 'publicAuthority'>;

/** Loads the verification of clients where the operator requires it, and nothing where not. */
export async function openVerification({
  orders,
  clientVerification,
  publicAuthority,
}: Settings): Promise<ClientVerification | undefined> {
  if (orders.kind !== 'on' || clientVerification === 'off') return undefined;
  const { createVerification } = await import('./verification.ts');
  return createVerification(publicAuthority);
}
