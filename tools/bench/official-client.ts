import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type ProcessSpec, ROOT, type RunningProcess, runProcess, startProcess } from './processes.ts';
import { PRIVATE_KEY, serviceEnv } from './services.ts';
import { TOKEN_ID } from './venue/records.ts';

const SCRIPT = 'build/bench/official-client.mjs';

/** Written as JavaScript, so that the baseline does not pay for the stripping of types, as the service does. */
async function writeScript(): Promise<void> {
  const source = await readFile(join(import.meta.dirname, 'baselines', 'official-client.ts'), 'utf8');
  await mkdir(join(ROOT, 'build', 'bench'), { recursive: true });
  await writeFile(join(ROOT, SCRIPT), stripTypeScriptTypes(source));
}

function spec(venueUrl: string, mode: 'first' | 'load'): ProcessSpec {
  const { SERVICE_CLOB_API_KEY, SERVICE_CLOB_API_SECRET, SERVICE_CLOB_API_PASSPHRASE } = serviceEnv(venueUrl);
  return {
    args: [SCRIPT],
    env: {
      BENCH_MODE: mode,
      BENCH_VENUE_URL: venueUrl,
      BENCH_TOKEN_ID: TOKEN_ID,
      BENCH_PRIVATE_KEY: PRIVATE_KEY.slice(2),
      BENCH_CREDENTIALS: [SERVICE_CLOB_API_KEY, SERVICE_CLOB_API_SECRET, SERVICE_CLOB_API_PASSPHRASE].join(' '),
    },
  };
}

/** `order`: the time of the order alone, in milliseconds, in a process that has loaded the client. */
const first = z.object({ order: z.number(), errors: z.number() });

/** The first order of a fresh process that uses the official client. */
export async function placeFirstOrder(venueUrl: string): Promise<z.infer<typeof first>> {
  await writeScript();
  const { output } = await runProcess(spec(venueUrl, 'first'));
  return first.parse(JSON.parse(output));
}

const burst = z.object({ rate: z.number(), errors: z.number() });

/** A process with the venue's official client. */
export interface OfficialClient extends RunningProcess {
  /** Orders a second over some seconds, ten at a time. */
  place(seconds: number): Promise<z.infer<typeof burst>>;
}

/** Starts a process with the venue's official client. */
export async function startOfficialClient(venueUrl: string): Promise<OfficialClient> {
  await writeScript();
  const running = await startProcess(spec(venueUrl, 'load'));
  return {
    ...running,
    place: async (seconds) => burst.parse(JSON.parse(await (await fetch(`${running.url}/${seconds}`)).text())),
  };
}
