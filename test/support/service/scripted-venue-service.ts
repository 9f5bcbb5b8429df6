import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../../local/service/service.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { afterTests } from '../jest.ts';
import { type Script, startVenue } from '../venue/scripted-venue.ts';
import { v1TokenId } from '../venue/venue-answers.ts';

const stops: (() => Promise<void>)[] = [];

afterTests(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts the local server, with its store in a file, on a scripted venue; both end after the test. */
export async function startOnScriptedVenue(script: Script, overrides: Environment = {}) {
  const venue = await startVenue(script);
  const folder = await mkdtemp(join(tmpdir(), 'scripted-'));
  const lines: Record<string, unknown>[] = [];
  const settings = { ...paperSettings(venue.url, folder), SERVICE_LOG_LEVEL: 'warn', ...overrides };
  const service = await startService(settings, { write: (line) => lines.push(JSON.parse(line)) });
  stops.push(() => service.stop().finally(() => rm(folder, { recursive: true, force: true })));
  async function place(headers: Readonly<Record<string, string>> = {}, changes: object = {}) {
    const order = { token_id: v1TokenId(1), side: 'buy', price: '0.51', size: '10', ...changes };
    const response = await fetch(`${service.url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(order),
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  }
  return { url: service.url, venue, lines, place };
}
