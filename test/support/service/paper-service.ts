import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../../local/service/service.ts';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/settings.ts';
import { createPaperVenue, type PaperVenue } from '../../../packages/paper-venue/venue.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { afterTests } from '../after-tests.ts';

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

/** Starts the local server on a paper venue of its own, as `npm run paper` does; both end after the test. */
export async function startPaperService(
  overrides: Environment = {},
  options: PaperVenueOptions = {},
): Promise<PaperService> {
  const directory = await mkdtemp(join(tmpdir(), 'paper-service-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const venue = createPaperVenue({ still: true, ...options });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  stops.unshift(() => venue.close());
  const lines: Record<string, unknown>[] = [];
  const settings = {
    ...paperSettings(venueUrl, directory),
    SERVICE_LOG_LEVEL: 'error',
    ...overrides,
  };
  const service = await startService(settings, { write: (line) => lines.push(JSON.parse(line)) });
  stops.unshift(service.stop);
  return { url: service.url, venue, venueUrl, lines };
}
