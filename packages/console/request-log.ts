import { curlOf, type SentRequest } from './curl.ts';
import { make, makeButton } from './dom.ts';
import { formatTime } from './figures.ts';

/** Older requests are dropped from the page, reads before orders: the reads of a live book fill it within a minute. */
const MAX_ENTRIES = 50;

interface Ended {
  /** Status of the answer, or the reason why there is none. */
  readonly result: string;
  readonly tookMs: number;
  readonly requestId: string | null;
  readonly replayed: boolean;
}

interface Entry {
  /** Equal for reads that share one entry; '' for a request with an entry of its own. */
  readonly sameAs: string;
  readonly count: number;
  readonly summary: HTMLElement;
}

/** Log of the requests of this page, newest first. */
export interface RequestLog {
  /** Sends a request as `fetch` does, and adds it to the log. */
  send(url: string, init: RequestInit): Promise<Response>;
  /** Drops the answers to orders while `active` returns true, as a broken connection would. */
  loseOrderAnswers(active: () => boolean): void;
  /** Counts how often an order was sent under a key, and how many of the answers were replays. */
  attempts(key: string): { readonly sent: number; readonly replayed: number };
}

function read(url: string, { method = 'GET', headers, body }: RequestInit): SentRequest {
  return { url, method, headers: [...new Headers(headers)], body: typeof body === 'string' ? body : undefined };
}

function describe({ method, url }: SentRequest, { result, tookMs, replayed }: Ended, count: number): string {
  const { pathname, search } = new URL(url);
  const path = decodeURIComponent(pathname + search).replace(/\d{20,}/, (id) => `${id.slice(0, 6)}…`);
  const times = count > 1 ? ` (${count} times)` : '';
  return `${formatTime(new Date())} ${method} ${path} → ${result}${replayed ? ', replayed' : ''}, ${tookMs} ms${times}`;
}

function makeEntry(request: SentRequest, ended: Ended, summary: HTMLElement): HTMLElement {
  const command = curlOf(request);
  // Pages on http have no clipboard, except those of this machine.
  const copy = isSecureContext ? [makeButton('Copy the curl', () => void navigator.clipboard.writeText(command))] : [];
  const id = ended.requestId === null ? [] : [make('p', {}, `Request id: ${ended.requestId}`)];
  summary.className = /^[23]/.test(ended.result) ? 'done' : 'failed';
  const details = make('details', {}, summary, make('pre', {}, command), id, copy);
  return make('li', { class: request.method === 'GET' ? 'read' : 'order' }, details);
}

export function createRequestLog(list: HTMLElement): RequestLog {
  const attempts = new Map<string, { sent: number; replayed: number }>();
  let newest: Entry | undefined;
  let isLosing = (): boolean => false;

  function write(request: SentRequest, ended: Ended): void {
    const sameAs = request.method === 'GET' ? `${request.url} ${ended.result}` : '';
    if (newest && sameAs !== '' && newest.sameAs === sameAs) {
      newest = { ...newest, count: newest.count + 1 };
      newest.summary.textContent = describe(request, ended, newest.count);
      return;
    }
    newest = { sameAs, count: 1, summary: make('summary', {}, describe(request, ended, 1)) };
    list.prepend(makeEntry(request, ended, newest.summary));
    const [, ...older] = list.children;
    if (older.length < MAX_ENTRIES) return;
    (older.findLast(({ classList }) => classList.contains('read')) ?? older.at(-1))?.remove();
  }

  async function sendAndLog(request: SentRequest, init: RequestInit): Promise<Response> {
    const startedAt = performance.now();
    const ended = (result: string, headers?: Headers) => ({
      result,
      tookMs: Math.round(performance.now() - startedAt),
      requestId: headers?.get('x-request-id') ?? null,
      replayed: headers?.get('idempotency-replayed') === 'true',
    });
    try {
      const response = await fetch(request.url, init);
      if (request.method !== 'POST' || !isLosing()) {
        write(request, ended(String(response.status), response.headers));
        return response;
      }
      await response.body?.cancel();
    } catch (error) {
      if (!init.signal?.aborted) write(request, ended('no answer'));
      throw error;
    }
    write(request, ended('answer lost by this page'));
    throw new TypeError('This page threw the answer away.');
  }

  return {
    send: async (url, init) => {
      const request = read(url, init);
      const [, key] = request.headers.find(([name]) => name === 'idempotency-key') ?? [];
      const response = sendAndLog(request, init);
      if (key === undefined) return response;
      const tally = attempts.get(key) ?? { sent: 0, replayed: 0 };
      attempts.set(key, tally);
      tally.sent += 1;
      const { headers } = await response;
      tally.replayed += Number(headers.get('idempotency-replayed') === 'true');
      return response;
    },
    loseOrderAnswers: (active) => {
      isLosing = active;
    },
    attempts: (key) => attempts.get(key) ?? { sent: 0, replayed: 0 },
  };
}
