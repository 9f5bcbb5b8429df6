import type { ApiCredentials, SignatureType } from '../../config.ts';
import type { Decimal } from '../../decimal.ts';
import type { Log } from '../../log.ts';
import type { Secret } from '../../secret.ts';
import type { OrderEntry } from '../port.ts';

export interface OrderEntrySettings {
  readonly clobUrl: string;
  readonly privateKey: Secret;
  readonly signatureType: SignatureType;
  readonly funderAddress: string | undefined;
  readonly credentials: ApiCredentials | undefined;
  readonly maxOrderNotional: Decimal | undefined;
}

/** EIP-55 address of a private key. */
export function walletAddressOf(privateKey: Secret): string {
  throw new Error('not there yet');
}

/** The capability to trade with one wallet. */
export function createOrderEntry(settings: OrderEntrySettings, log: Log): OrderEntry {
  throw new Error('not there yet');
}
