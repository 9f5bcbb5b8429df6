import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** A connection on which more requests wait is not read from until they are answered. */
export const STALL_ABOVE = 8;

/** A connection on which more requests wait is closed: the 1,800 that Node may read at once would take up to 11 MB. */
export const CLOSE_ABOVE = 16;

/** Node's own answer of its server to its parser, after which the rest of what was read is not parsed. */
const STOPS_PARSER = 2;

/** How much longer to wait for a client that was served than for one that has not sent a whole request yet. */
const SERVED_MS = 60_000;

/** One client connection. */
class Connection {
  /** When the client's turn to send or to read began; `undefined` while the service is working for it. */
  awaitedSince: number | undefined = performance.now();
  /** Counts the requests that are waiting or being answered. */
  pending = 0;
  readonly #controller = new AbortController();
  /** Aborted when no more can be read from the connection; the reason is the error to respond with. */
  readonly broken = this.#controller.signal;
  readonly #socket: Duplex;
  #tail = Promise.resolve();

  constructor(socket: Duplex) {
    this.#socket = socket;
    // Node itself resumes reading after each answer; its own brake works in the same way.
    socket.on('resume', () => {
      if (this.pending > STALL_ABOVE) socket.pause();
    });
  }

  /**
   * Serves one request after the other: a response may be the last on its connection, and then a request that was sent
   * behind it must not have placed an order. Skips those behind the last. Closes a connection on which too many wait.
   */
  run(serve: () => Promise<unknown>): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    this.pending += 1;
    if (this.pending > CLOSE_ABOVE) this.#dropAll();
    else if (this.pending > STALL_ABOVE) socket.pause();
    const next = async () => {
      this.awaitedSince = undefined;
      if (socket.writable) await serve();
      this.awaitedSince = performance.now() + SERVED_MS;
    };
    this.#tail = this.#tail
      .then(next)
      .catch(() => socket.destroy())
      .then(() => {
        this.pending -= 1;
        if (this.pending === STALL_ABOVE) socket.resume();
      });
  }

  /** Closes the connection. Otherwise Node's parser would go on to the end of what was read. */
  #dropAll(): void {
    const parser: unknown = Reflect.get(this.#socket, 'parser');
    if (typeof parser === 'object' && parser) Reflect.set(parser, 'onIncoming', () => STOPS_PARSER);
    this.#socket.destroy();
  }

  /** Marks the connection as broken; calls `respond` after the requests in flight, if it can still be written to. */
  fail(error: Error, respond: () => void): void {
    this.#controller.abort(error);
    this.#tail = this.#tail.then(() => {
      if (this.#socket.writable) respond();
    });
  }
}

/** Longer than it takes to learn that a client is gone, from anywhere on earth. */
const HANG_UP_MS = 250;

/**
 * Resolves with `false` where the caller of a request has closed its connection. One that has closed its own half alone
 * looks the same until something is written to it, so it is told that the request is being processed.
 */
export async function isAwaited(response: ServerResponse): Promise<boolean> {
  const { httpVersion, socket } = response.req;
  // What came behind the request is read in the next turn of the loop.
  await setImmediate();
  await setImmediate();
  // An older client would take that for its response.
  if (!socket.readableEnded || httpVersion !== '1.1') return socket.writable;
  for (const pauseMs of [HANG_UP_MS, 0]) {
    if (socket.writable) response.writeProcessing();
    await sleep(pauseMs);
  }
  return socket.writable;
}

/** Limits of all connections together. */
interface ConnectionLimits {
  readonly maxConnections: number;
  /** The most that is kept for clients that do not read. */
  readonly maxUnreadBytes: number;
}

/** The client connections of a server. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Duplex, Connection>();
  readonly #known = new WeakMap<Duplex, Connection>();
  /** Counts the handlers at work; one goes on when its client is gone. */
  atWork = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  of(socket: Duplex): Connection {
    const connection = this.#known.get(socket) ?? new Connection(socket);
    this.#known.set(socket, connection);
    return connection;
  }

  /** Takes in a new connection. Where there are too many, the client that has been awaited for the longest is dropped. */
  admit(socket: Duplex): void {
    if (this.#open.size >= this.#limits.maxConnections && !this.#dropLongest([...this.#open.keys()])) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, this.of(socket));
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Waits for a client to read. Where too much is unread, the one that has been awaited for the longest is dropped. */
  awaitReader(socket: Duplex): void {
    this.of(socket).awaitedSince = performance.now();
    if (socket.writableLength === 0) return;
    const unread = [...this.#open.keys()].filter(({ writableLength }) => writableLength > 0);
    const bytes = unread.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (bytes > this.#limits.maxUnreadBytes) this.#dropLongest(unread);
  }

  #dropLongest(sockets: readonly Duplex[]): boolean {
    const since = (socket: Duplex) => this.of(socket).awaitedSince ?? Number.POSITIVE_INFINITY;
    const [longest] = sockets.toSorted((a, b) => since(a) - since(b));
    if (!longest || since(longest) === Number.POSITIVE_INFINITY) return false;
    this.#open.delete(longest);
    longest.destroy();
    return true;
  }

  /** Drops the connections on which nothing is being answered. */
  dropIdle(): void {
    for (const [socket, { pending }] of this.#open) if (pending === 0) socket.destroy();
  }

  /** Waits no longer for bodies that are still on their way: their requests are answered with `error`. */
  giveUpBodies(error: Error): void {
    for (const connection of this.#open.values()) connection.fail(error, () => undefined);
  }
}
