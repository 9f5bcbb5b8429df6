import type { PaperVenueOptions } from '../../packages/paper-venue/state/state.ts';
import type { PaperVenue } from '../../packages/paper-venue/venue.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Environment, OrderAccess } from '../../shared/settings/table.ts';
import type { Answer } from './answer.ts';
import type { Ask } from './ask.ts';
import type { Contract } from './document.ts';
import type { SigningClient } from './signing.ts';

/** What answers before the service does: the local server itself, or a gateway with its own rules. */
export type Edge = 'local' | 'gateway';

/** A market that the checks can use: one where a buy order at the lowest price is far from everything. */
export interface Sample {
  readonly tokenId: string;
  readonly question: string;
  readonly tickSize: string;
  readonly minOrderSize: string;
}

/** A service on a paper venue, with what a test may do to both. A service at any other URL is not under control. */
export interface Control {
  readonly venue: PaperVenue;
  readonly venueUrl: string;
  /** The lines of the service's log so far, parsed. */
  readonly lines: () => readonly Readonly<Record<string, unknown>>[];
}

/** A service in the process of the tests. */
export interface InProcess extends Control {
  /** Lets time pass by all clocks of the process, or more, once each slow check that runs now waits for that or is over. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Starts another service. Rejects where the start stops. */
  readonly start: (settings: Environment, options?: PaperVenueOptions) => Promise<World>;
  /** Stops the service, and starts it again on its venue and its store, with other settings where they are stated. */
  readonly restart: (settings?: Environment) => Promise<World>;
  /** The settings of the service. */
  readonly settings: Environment;
  /** Starts the local server around endpoints that throw. */
  readonly startFaulty: (fault: unknown) => Promise<Ask>;
  /** Starts orders that a gateway calls: it hands over what it knows of a caller. Whom they know they call read-only. */
  readonly startDeployed: (access: OrderAccess, requestContext: object) => Promise<Deployed>;
}

/** The endpoint of orders as deployed, and the lines of its log. */
export interface Deployed extends Pick<World, 'ask'>, Pick<Control, 'lines'> {}

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
  /** Takes a note of an answer that did not come by `ask`. */
  readonly note: (operation: string, answer: Answer) => void;
  readonly control?: Control | undefined;
  readonly process?: InProcess | undefined;
}

/** What a check needs, with the reason why it is not run elsewhere. */
export const NEEDS = {
  'local server': {
    without: 'is about the local server',
    has: ({ edge }: World) => edge === 'local',
  },
  'read-only': {
    without: 'is about a read-only service',
    has: ({ mode }: World) => mode === 'read-only',
  },
  orders: {
    without: 'is about a service that places orders',
    has: ({ mode }: World) => mode === 'order-placing',
  },
  'verified clients': {
    without: 'is about a service that verifies its clients',
    has: ({ client }: World) => client !== undefined,
  },
  'clients as they are': {
    without: 'is about a service that does not verify its clients',
    has: ({ client }: World) => client === undefined,
  },
  'paper venue': {
    without: 'needs control of the venue',
    has: ({ control }: World) => control !== undefined,
  },
  process: {
    without: 'needs control of clock, settings and process',
    has: (world: World) => world.process !== undefined,
  },
} as const;

/** A condition of a check. */
export type Need = keyof typeof NEEDS;

/** Holds a service to one clause. Throws where it is broken. */
export type Run = (world: World) => Promise<void>;

/** A variable of the settings. */
type Variable = `SERVICE_${string}` | 'HTTPS_PROXY' | 'NO_PROXY';

/** One check of the contract. */
export interface Check {
  /** The part of the contract that has the clause: the name of its file. */
  readonly section: string;
  readonly clause: string;
  readonly needs: readonly Need[];
  /** The codes that the check provokes, and the settings that it is about. Each has one check. */
  readonly proves: readonly (ErrorCode | Variable)[];
  /** Settings of the service that the tests start for it. */
  readonly settings: Environment;
  /** Places an order that rests: at a URL it runs after consent only. */
  readonly places: boolean;
  /** Takes longer than ten seconds. */
  readonly slow: boolean;
  readonly run: Run;
}

/** A check as its section writes it; a function alone is one without conditions. */
type Written = Run | ({ readonly run: Run } & Partial<Omit<Check, 'section' | 'clause' | 'run'>>);

/** The checks of a section by their clauses. */
export type Clauses = Readonly<Record<string, Written>>;

/** Creates the checks of a section from its clauses. `common`: what each of them needs. */
export function section(name: string, common: readonly Need[], clauses: Clauses): readonly Check[] {
  return Object.entries(clauses).map(([clause, written]) => {
    const { needs = [], ...members } = typeof written === 'function' ? { run: written } : written;
    const base = { section: name, clause, proves: [], settings: {}, places: false, slow: false };
    return { ...base, ...members, needs: [...common, ...needs] };
  });
}

/** Returns the part of the world that a check with the need `paper venue` has. */
export function controlOf({ control }: World): Control {
  if (!control) throw new Error(NEEDS['paper venue'].without);
  return control;
}

/** Returns the part of the world that a check with the need `process` has. */
export function processOf(world: World): InProcess {
  if (!world.process) throw new Error(NEEDS.process.without);
  return world.process;
}

/** Has the venue behave again. */
export async function disarm(world: World): Promise<void> {
  await fetch(`${controlOf(world).venueUrl}/paper/faults`, { method: 'DELETE' });
}
