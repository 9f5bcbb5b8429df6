import type { Ask } from './ask.ts';
import type { Contract } from './contract.ts';
import type { SigningClient } from './signing.ts';

/** What answers before the service does: the local server itself, or a gateway with its own rules. */
export type Edge = 'local' | 'gateway';

/** A market that the suite can use: one where a buy order at the lowest price is far from everything. */
export interface Sample {
  readonly tokenId: string;
  readonly question: string;
  readonly tickSize: string;
  readonly minOrderSize: string;
}

/** All that a check may use. */
export interface World {
  readonly baseUrl: string;
  readonly ask: Ask;
  readonly contract: Contract;
  readonly edge: Edge;
  readonly mode: 'read-only' | 'order-placing';
  readonly sample: Sample;
  /** Set if a gateway holds back every order: a sentence with the reason. */
  readonly ordersKeptBack: string | undefined;
  /** Set where the service verifies its clients. */
  readonly client: SigningClient | undefined;
}

/** One check of the contract. */
export interface Check {
  readonly group: string;
  /** The promise that it holds the service to. */
  readonly name: string;
  /** Returns true if the check applies to this service. A check without it applies to all. */
  readonly applies?: (world: World) => boolean;
  /** Runs only when orders may be placed. */
  readonly mayPlace?: boolean;
  /** Takes longer than ten seconds. */
  readonly slow?: boolean;
  /** Throws where the promise is broken. */
  readonly run: (world: World) => Promise<void>;
}

/** Applies to the local server. */
export const isLocal = ({ edge }: World): boolean => edge === 'local';
/** Applies where no orders are placed. */
export const isReadOnly = ({ mode }: World): boolean => mode === 'read-only';
/** Applies where clients are verified. */
export const verifiesClients = ({ client }: World): boolean => client !== undefined;
/** Applies where orders are placed. */
export const placesOrders = ({ mode }: World): boolean => mode === 'order-placing';
