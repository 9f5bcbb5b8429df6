import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Endpoint, GatewayHandler } from '../../functions/http.ts';
import { createCallerCheck } from '../../functions/orders/caller.ts';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { createGatewayHandler } from '../../functions/pipeline.ts';
import { ROUTES } from '../../functions/routes.ts';
import type { PaperVenueOptions } from '../../packages/paper-venue/state/state.ts';
import { refuse } from '../../shared/errors.ts';
import type { Environment, OrderAccess } from '../../shared/settings/table.ts';
import { collectLog } from '../support/service/collected-log.ts';
import { startTestServer } from '../support/service/local-service.ts';
import { openPaperService } from '../support/service/paper-service.ts';
import { createAsk } from './ask.ts';
import type { Check, InProcess, World } from './check.ts';
import { LISTED_ORIGIN } from './everywhere.ts';
import { prove, whySkipped } from './run.ts';
import { openWorld } from './world.ts';

/** The services of a run, by their settings; each is started once and shared by the checks that state the same. */
function contractWorlds(seen: Set<string>) {
  const stops: (() => Promise<void>)[] = [];
  const worlds = new Map<string, Promise<World>>();
  let passedMs = 0;
  const clock = { running: 0, waiting: new Map<() => void, number>() };

  /** Lets the time pass for which all wait. */
  function advance(): void {
    if (clock.waiting.size < clock.running) return;
    passedMs += Math.max(0, ...clock.waiting.values());
    for (const [release] of [...clock.waiting]) {
      clock.waiting.delete(release);
      release();
    }
  }

  /** Runs a check beside others. */
  async function beside(run: () => Promise<void>): Promise<unknown> {
    clock.running += 1;
    try {
      return await run().then(() => undefined);
    } catch (error) {
      return error;
    } finally {
      clock.running -= 1;
      advance();
    }
  }

  // Only these two: sockets and timers need the real time.
  beforeAll(() => {
    const [now, uptime] = [Date.now, performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    jest.spyOn(performance, 'now').mockImplementation(() => uptime() + passedMs);
  });
  afterAll(async () => {
    for (const stop of stops.splice(0)) await stop();
    jest.restoreAllMocks();
  });

  /** Starts the local server around an endpoint; `context` is added to what a gateway says of each request. */
  async function startAround(endpoint: Endpoint, context: object = {}) {
    const { log, lines } = collectLog();
    const handler = createGatewayHandler(endpoint, { log, corsOrigins: [LISTED_ORIGIN] });
    const handle: GatewayHandler = ({ requestContext, ...event }, invocation) =>
      handler({ ...event, requestContext: { ...requestContext, ...context } }, invocation);
    const { url } = await startTestServer({ handlers: { [endpoint.route.name]: handle } });
    return { url, lines: () => lines };
  }

  function startFaulty(fault: unknown) {
    const handler = () => {
      throw fault;
    };
    return startAround({ route: ROUTES.health, origins: 'any', budgetMs: 1_000, handler });
  }

  function startDeployed(access: OrderAccess, requestContext: object) {
    const openOrders = async () => {
      throw refuse('order_placement_disabled', { why: 'known' });
    };
    return startAround(ordersEndpoint({ openOrders, checkCaller: createCallerCheck(access) }), requestContext);
  }

  async function start(settings: Environment, options: PaperVenueOptions = {}, noted = seen): Promise<World> {
    const standard = { SERVICE_LOG_LEVEL: 'info', SERVICE_CORS_ORIGINS: LISTED_ORIGIN };
    const service = await openPaperService({ ...standard, ...settings }, options);
    stops.push(service.stop);
    const { venue, venueUrl, lines } = service;
    const control = { venue, venueUrl, lines: () => lines };
    const at = async (baseUrl: string): Promise<World> => {
      const world = await openWorld({ baseUrl, edge: 'local' }, noted);
      const { contract, note } = world;
      const askAt = (url: string) => createAsk({ baseUrl: url, fetch, contract, edge: 'local', note });
      const process: InProcess = {
        ...control,
        settings: service.settings,
        pass: (milliseconds) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          clock.waiting.set(resolve, milliseconds);
          advance();
          return promise;
        },
        start: (others, venueOptions) => start(others, venueOptions, noted),
        restart: async (changes = {}) => at(await service.restart(changes)),
        startFaulty: async (fault) => askAt((await startFaulty(fault)).url),
        startDeployed: async (...deployment) => {
          const { url, lines: deployedLines } = await startDeployed(...deployment);
          return { ask: askAt(url), lines: deployedLines };
        },
      };
      return { ...world, control, process };
    };
    return at(service.url);
  }

  /** Returns the service with these settings. */
  function worldOf(settings: Environment): Promise<World> {
    const name = JSON.stringify(settings);
    const opened = worlds.get(name) ?? start(settings);
    worlds.set(name, opened);
    return opened;
  }

  return { start, worldOf, beside };
}

/** Makes tests of checks: each at a service that it shares; the slow ones run beside the others, each at its own. */
export function describeSection(checks: readonly Check[]): void {
  const names = new Set(checks.map(({ section }) => section));
  describe([...names].join(', '), () => testEach(checks));
}

function testEach(checks: readonly Check[]): void {
  const seen = new Set<string>();
  const { start, worldOf, beside } = contractWorlds(seen);
  const slow = new Map<Check, Promise<unknown>>();

  beforeAll(() => {
    for (const check of checks) {
      if (!check.slow) continue;
      const own = new Set<string>();
      slow.set(
        check,
        beside(async () => prove(check, await start(check.settings, {}, own), own)),
      );
    }
  });

  it.each(checks)('$section: $clause', async (check) => {
    const failure = await slow.get(check);
    if (failure !== undefined) throw failure;
    if (check.slow) return;
    const world = await worldOf(check.settings);
    expect(whySkipped(check, world, { agreed: true, quick: false })).toBeUndefined();
    await prove(check, world, seen);
  });
}
