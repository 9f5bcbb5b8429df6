import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { startService } from '../../../local/service/service.ts';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { createPaperVenue, type PaperVenue } from '../../../packages/paper-venue/venue.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { afterTests } from '../jest.ts';

/** A local server on a paper venue of its own. */
export interface PaperService {
  /** Base address of the service. */
  readonly url: string;
  readonly venue: PaperVenue;
  /** Base address of the venue. */
  readonly venueUrl: string;
  /** The lines of the service's log, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

const stops: (() => Promise<void>)[] = [];

afterTests(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts a service as below; the caller stops it. `restart` starts it again, with other settings where they are stated. */
export async function openPaperService(overrides: Environment, options: PaperVenueOptions) {
  const directory = await mkdtemp(join(tmpdir(), 'paper-service-'));
  const venue = createPaperVenue({ still: true, ...options });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const lines: Record<string, unknown>[] = [];
  let settings: Environment = { ...paperSettings(venueUrl, directory), SERVICE_LOG_LEVEL: 'error', ...overrides };
  const closeVenue = async () => {
    await venue.close();
    await rm(directory, { recursive: true, force: true });
  };
  const start = () => startService(settings, { write: (line) => lines.push(JSON.parse(line)) });
  try {
    let service = await start();
    const stop = () => service.stop().then(closeVenue);
    const restart = async (changes: Environment) => {
      await service.stop();
      settings = { ...settings, ...changes };
      service = await start();
      return service.url;
    };
    return { url: service.url, venue, venueUrl, lines, settings, stop, restart };
  } catch (error) {
    await closeVenue();
    throw error;
  }
}

/** Starts the local server on a paper venue of its own, as `npm run paper` does; both end after the test. */
export async function startPaperService(
  overrides: Environment = {},
  options: PaperVenueOptions = {},
): Promise<PaperService> {
  const { stop, ...service } = await openPaperService(overrides, options);
  stops.push(stop);
  return service;
}

/** Has one service for all tests of a file or of a `describe`; returns how to get at it in a test. */
export function sharedPaperService(overrides: Environment = {}, options: PaperVenueOptions = {}): () => PaperService {
  let service: Awaited<ReturnType<typeof openPaperService>> | undefined;
  beforeAll(async () => {
    service = await openPaperService(overrides, options);
  });
  afterAll(() => service?.stop());
  return () => {
    if (!service) throw new Error('The service has not started.');
    return service;
  };
}
