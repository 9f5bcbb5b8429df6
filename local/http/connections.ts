import type { Duplex } from 'node:stream';

/** One client connection. */
interface Connection {
  /** Aborted when no more can be read from the connection; the reason is the error to respond with. */
  readonly broken: AbortSignal;
  /** Counts the requests that are waiting or being answered. */
  readonly pending: number;
  /**
   * Serves one request after the other: a response may be the last on its connection, and then a request that was sent
   * behind it must not have placed an order. Skips those behind the last.
   */
  run(serve: () => Promise<void>): void;
  /** Marks the connection as broken; calls `respond` after the requests in flight, if it can still be written to. */
  fail(error: Error, respond: () => void): void;
}

/**
 * A connection on which more requests wait is not read from until they are answered: a client that pipelines without end
 * would fill the memory. A chunk that was read already is parsed to its end.
 */
export const MAX_WAITING = 8;

function openConnection(socket: Duplex): Connection {
  const controller = new AbortController();
  let tail = Promise.resolve();
  let pending = 0;
  // Node itself resumes reading after each answer; its own brake works in the same way.
  socket.on('resume', () => {
    if (pending > MAX_WAITING) socket.pause();
  });
  return {
    broken: controller.signal,
    get pending() {
      return pending;
    },
    run: (serve) => {
      pending += 1;
      if (pending > MAX_WAITING) socket.pause();
      tail = tail
        .then(() => (socket.writable ? serve() : undefined))
        .catch(() => socket.destroy())
        .then(() => {
          pending -= 1;
          if (pending === MAX_WAITING) socket.resume();
        });
    },
    fail: (error, respond) => {
      controller.abort(error);
      tail = tail.then(() => {
        if (socket.writable) respond();
      });
    },
  };
}

/** The client connections of a server. */
export interface Connections {
  of(socket: Duplex): Connection;
  /** Drops the connections on which nothing is being answered. */
  dropIdle(): void;
  /** Waits no longer for bodies that are still on their way: their requests are answered with `error`. */
  giveUpBodies(error: Error): void;
  /** Tracks a handler at work; it continues after its client disconnects. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves when no handler is at work. */
  settled(): Promise<void>;
}

/** Keeps the connections of a server. */
export function createConnections(): Connections {
  const open = new Map<Duplex, Connection>();
  const of = (socket: Duplex): Connection => {
    const connection = open.get(socket) ?? openConnection(socket);
    if (!open.has(socket)) {
      open.set(socket, connection);
      socket.once('close', () => open.delete(socket));
    }
    return connection;
  };
  const dropIdle = () => {
    for (const [socket, { pending }] of open) if (pending === 0) socket.destroy();
  };
  const giveUpBodies = (error: Error) => {
    for (const connection of open.values()) connection.fail(error, () => undefined);
  };
  // Counted, not kept in a Set: the tables that a Set outgrows hold what was in them until all of the memory is collected.
  let atWork = 0;
  let idle = Promise.withResolvers<void>();
  const track = async <T>(work: Promise<T>): Promise<T> => {
    atWork += 1;
    try {
      return await work;
    } finally {
      atWork -= 1;
      if (atWork === 0) {
        idle.resolve();
        idle = Promise.withResolvers();
      }
    }
  };
  const settled = async () => {
    while (atWork > 0) await idle.promise;
  };
  return { of, dropIdle, giveUpBodies, track, settled };
}
