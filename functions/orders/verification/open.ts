import type { DeployedConfig, LocalConfig } from '../../../shared/settings/config.ts';
import type { Authorities, ClientVerification } from './verification.ts';

type Settings = Pick<
  LocalConfig | DeployedConfig,
  'orders' | 'clientVerification' | 'publicAuthority' | 'allowedClients'
>;

/** Loads the verification of clients where the operator requires it, and nothing where not. `own`: see `Authorities`. */
export async function openVerification(
  { orders, clientVerification, publicAuthority, allowedClients }: Settings,
  own?: Authorities['own'],
): Promise<ClientVerification | undefined> {
  if (orders.kind !== 'on' || clientVerification === 'off') return undefined;
  const { createVerification } = await import('./verification.ts');
  return createVerification({ public: publicAuthority, own }, allowedClients);
}
