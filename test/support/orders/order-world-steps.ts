import type { OrderRecord } from '../../../shared/orders/record.ts';
import type { Happening } from './interleavings.ts';

/** Everything outside the processes. */
export interface WorldState {
  clock: number;
  /** Failures that may still happen. */
  faults: number;
  record: OrderRecord | undefined;
  /** Names of the random owners of leases. */
  readonly owners: Map<string, string>;
  /**
   * The orders that the venue took, by their ids. Look-ups lag: in the tick of `at` they may miss one. Later they show a
   * live order to everybody, and a filled one among the trades.
   */
  readonly taken: Map<string, { readonly state: 'live' | 'filled'; readonly at: number }>;
  /** Orders that are held up on their way since a tick, and may still arrive. */
  readonly heldUp: Map<string, number>;
  /** The last sending was refused with its operator. */
  lastRefusedOperator: boolean;
  /** An answer that the order was not taken, given while the venue had it. */
  untrue: string | undefined;
}

/** One way a step can go: its effect on the world, and what the process sees of it. */
export interface Way<T> {
  readonly name: string;
  readonly fault?: boolean;
  readonly effect?: () => void;
  /** The result, or a thrown error. */
  readonly result: () => T;
}

interface Waiting {
  readonly place: 'store' | 'venue';
  readonly happenings: () => readonly Happening[];
}

/** The steps of one process, of which each waits until it is chosen to happen. */
export interface Steps {
  take<T>(place: 'store' | 'venue', ways: () => readonly Way<T>[]): Promise<T>;
  happenings(): readonly Happening[];
  atVenue(): boolean;
  onCrash(listener: () => void): void;
  /** Returns what the process knows: processes that know the same go on in the same way. */
  trace(): readonly string[];
  /** The request is over and with it what its process knew. */
  forget(): void;
}

/** Creates the steps of one client, at each of which it waits until the search lets it go on. */
export function createSteps(client: string, world: WorldState): Steps {
  let waiting: Waiting | undefined;
  let known: string[] = [];
  let crashed = () => {};
  const crash = (name: string, effect: () => void): Happening => ({
    name: `${client} is killed ${name}`,
    run: () => {
      world.faults -= 1;
      effect();
      [waiting, known] = [undefined, []];
      crashed();
    },
  });
  const happen = <T>(way: Way<T>, resolve: (value: T) => void, reject: (error: unknown) => void): Happening => ({
    name: `${client}: ${way.name}`,
    run: () => {
      if (way.fault) world.faults -= 1;
      waiting = undefined;
      way.effect?.();
      try {
        const result = way.result();
        known.push(`${way.name} at ${world.clock}: ${JSON.stringify(result)}`);
        resolve(result);
      } catch (error) {
        known.push(`${way.name} at ${world.clock}`);
        reject(error);
      }
    },
  });
  return {
    take: (place, ways) =>
      new Promise((resolve, reject) => {
        waiting = {
          place,
          happenings: () => {
            const possible = ways().filter((way) => !way.fault || world.faults > 0);
            const crashes = [
              crash('before', () => {}),
              ...possible.flatMap(({ name, effect, fault }) =>
                effect && !fault ? [crash(`after: ${name}`, effect)] : [],
              ),
            ];
            return [...possible.map((way) => happen(way, resolve, reject)), ...(world.faults > 0 ? crashes : [])];
          },
        };
      }),
    happenings: () => waiting?.happenings() ?? [],
    atVenue: () => waiting?.place === 'venue',
    onCrash: (listener) => {
      crashed = listener;
    },
    trace: () => known,
    forget: () => {
      known = [];
    },
  };
}
