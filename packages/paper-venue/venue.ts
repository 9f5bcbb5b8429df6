import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { hasBook } from './exchange/market.ts';
import { toDecimal } from './exchange/millionths.ts';
import { faultAfter, faultBefore } from './faults/fault-replies.ts';
import { type Fault, FaultBoard, type FaultOrder, LateRequests } from './faults/faults.ts';
import { dispatch, json, type PaperRequest, type Reply, type Route } from './http/router.ts';
import {
  bind,
  type Delivery,
  pause,
  type ReceivedRequest,
  RequestLog,
  readBody,
  send,
  shut,
  whole,
} from './http/transport.ts';
import { accountRoutes, keyRoutes } from './routes/account-routes.ts';
import { clientOrders, controlRoutes, type Parts } from './routes/control-routes.ts';
import { gammaRoutes } from './routes/gamma-routes.ts';
import { orderEntryRoutes } from './routes/order-entry.ts';
import { fileOf, type Page, pageReply } from './routes/page.ts';
import { publicRoutes } from './routes/public-routes.ts';
import { driftBand } from './simulation/simulation.ts';
import { type PaperVenueOptions, settingsOf, VenueState } from './state/state.ts';

/** Time for a client to send its request: one that takes longer is broken. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Idle time of a socket: longer than clients keep theirs, so that none of them meets one that is just being closed. */
const KEEP_ALIVE_MS = 75_000;
/** Pause between steps of the markets. */
const TICK_MS = 1_000;
/** Time until a late request arrives, unless its fault says another. */
const LATE_S = 5;

/** HTTP server that speaks the venue's protocol: Gamma, the CLOB and what the website and the Data API answer, on one port. */
export interface PaperVenue {
  /** Starts listening and returns the address; port 0 takes a free one. Rejects for a taken port (`EADDRINUSE`). */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly url: string }>;
  /** Drops connections and late requests, stops the timer; a second call changes nothing. */
  close(): Promise<void>;
  /** Suggests a purchase in the most traded market that rests unless other clients sell: the house stays above it. */
  suggestOrder(): { readonly tokenId: string; readonly price: string; readonly size: string };
  /** Arms faults, as POST /paper/faults does. */
  arm(faults: FaultOrder | readonly FaultOrder[]): void;
  /** Lists the accepted orders of clients, as GET /paper/orders does. */
  orders(): ReturnType<typeof clientOrders>;
  /** Lists the received requests, as GET /paper/requests does. */
  requests(): readonly ReceivedRequest[];
}

function venueRoutes(state: VenueState): readonly Route[] {
  return [
    ...gammaRoutes(state),
    ...publicRoutes(state),
    ...keyRoutes(state),
    ...orderEntryRoutes(state),
    ...accountRoutes(state),
  ];
}

/** Creates the function that processes the requests of clients. */
function requestProcessor(state: VenueState) {
  const routes = venueRoutes(state);
  return (request: PaperRequest): Reply => {
    // Uses the real clock: a skewed one must not end orders.
    state.exchange.expire(state.settings.now());
    return dispatch(routes, request);
  };
}

/** Delivers the answer to a request that was processed, with its fault if it has one. */
function delivered(state: VenueState, reply: Reply, fault: Fault | undefined): Delivery {
  if (!fault) return whole(reply);
  return faultAfter(fault, reply, (ids) => {
    for (const id of ids) state.hiddenHashes.add(id);
  });
}

/** Reads a `Host` header without its port. */
const HOST = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:]+))(?::\d+)?$/i;

/**
 * Returns true for what a web page may not ask: no page but the venue's own may read or steer the exercise, nor trade in
 * it, and one whose name was pointed at this machine says so in `Host`. An address is nobody's name.
 */
function isRefused({ headers: { host = '', origin } }: IncomingMessage, own: string): boolean {
  const { v6, name = '' } = HOST.exec(host)?.groups ?? {};
  const isOwn = isIP(v6 ?? name) > 0 || ['localhost', own].includes(name.toLowerCase());
  return !isOwn || (origin !== undefined && origin !== `http://${host}`);
}

function listener(parts: Parts, ownName: () => string, page: Page | undefined) {
  const { state, faults, late, log } = parts;
  const { now } = state.settings;
  const [control, processRequest] = [controlRoutes(parts), requestProcessor(state)];
  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = Date.now();
    const body = await readBody(message);
    // Split by hand: the HMAC covers the path as it was sent, and URL would normalise it, or throw.
    const [path = '', ...rest] = (message.url ?? '').split('?');
    const query = new URLSearchParams(rest.join('?'));
    const base = { method: message.method ?? 'GET', path, query, headers: message.headers };
    const changes = base.method !== 'GET' && base.method !== 'HEAD';
    const file = page && fileOf(base);
    if ((changes || file || path.startsWith('/paper/')) && isRefused(message, ownName())) {
      const error = 'not for web pages: use the host localhost or an address, and send no Origin';
      return send(response, whole(json({ error }, 403)), now());
    }
    if (page && file) return send(response, whole(await pageReply(page, file)), now());
    if (!body) return send(response, whole(json({ error: 'payload too large' }, 413)), now());
    if (path.startsWith('/paper/') || (path === '/' && base.method === 'GET')) {
      return send(response, whole(dispatch(control, { ...base, body, now: now() })), now());
    }
    const { skewMs, fault } = faults.take(base);
    log.add({ method: base.method, path, query: query.toString(), at, fault: fault?.fault ?? null });
    if (fault?.fault === 'delay') await pause(fault.ms);
    const fundsFirst = fault?.fault === 'balance-first';
    const process = () => processRequest({ ...base, body, now: now() + skewMs, fundsFirst });
    if (fault?.fault === 'late') late.add((fault.seconds ?? LATE_S) * 1_000, process);
    const instead = fault && faultBefore(fault, { method: base.method, body });
    const delivery = instead ?? delivered(state, process(), fault);
    if (delivery.kind === 'reply') await pause(delivery.delayMs);
    send(response, delivery, now() + skewMs);
  };
}

function suggestedOrder({ exchange }: VenueState) {
  const markets = exchange.catalogue.markets.filter(hasBook);
  const { id, tokenIds, minSize } = markets.reduce((most, one) => (one.volume24h > most.volume24h ? one : most));
  const price = driftBand(exchange.floor(id)).low;
  return { tokenId: tokenIds[0], price: toDecimal(price), size: toDecimal(minSize) };
}

/** Creates a paper venue, with a page where one is given. */
export function createPaperVenue(options: PaperVenueOptions = {}, page?: Page): PaperVenue {
  const settings = settingsOf(options);
  const state = new VenueState(settings);
  const parts: Parts = { state, faults: new FaultBoard(), late: new LateRequests(), log: new RequestLog() };
  let ownName = 'localhost';
  const answer = listener(parts, () => ownName, page);
  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(limits, (message, response) => {
    answer(message, response).catch(() => {
      if (response.headersSent) response.destroy();
      else send(response, whole(json({ error: 'Internal server error' }, 500)), settings.now());
    });
  });
  let timer: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  return {
    async listen({ host, port }) {
      ownName = host.toLowerCase();
      const { address, family, port: taken } = await bind(server, host, port);
      if (!settings.still) timer = setInterval(() => state.step(settings.now()), TICK_MS).unref();
      return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}` };
    },
    close() {
      clearInterval(timer);
      parts.late.clear();
      closing ??= shut(server);
      return closing;
    },
    suggestOrder: () => suggestedOrder(state),
    arm: (orders) => parts.faults.arm(orders),
    orders: () => clientOrders(state),
    requests: () => parts.log.list(),
  };
}
