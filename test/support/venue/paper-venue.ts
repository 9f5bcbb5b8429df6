import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { createPaperVenue, type PaperVenue } from '../../../packages/paper-venue/venue.ts';
import { afterTests } from '../after-tests.ts';

/** A paper venue that listens, and how to ask it. */
export interface RunningPaper {
  readonly venue: PaperVenue;
  readonly url: string;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; body: unknown; headers: Headers }>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** An answer of the paper venue, with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

const running: PaperVenue[] = [];

afterTests(() => Promise.all(running.splice(0).map((venue) => venue.close())));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Starts a paper venue on a free port; it is closed after the test. */
export async function startPaper(options: PaperVenueOptions = {}): Promise<RunningPaper> {
  const venue = createPaperVenue({ still: true, ...options });
  running.push(venue);
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = body === undefined ? { method, headers } : { method, headers, body: text };
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    return { status: response.status, body: parsed(await response.text()), headers: response.headers };
  };
  return { venue, url, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

/** Closes a venue before the end of its test, for restarts. */
export async function stopPaper({ venue }: RunningPaper): Promise<void> {
  running.splice(running.indexOf(venue), 1);
  await venue.close();
}
