import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, isOfGateway } from './answer.ts';
import type { Contract } from './document.ts';

/** The part of `fetch` that the checks need. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** A request to the service under test. */
export interface Request {
  /** By the name of its route; the answer must be one that the document gives for its path. */
  readonly operation: string;
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request. */
export type Ask = (request: Request) => Promise<Answer>;

/** The time in which an answer has to be there: as the contract promises, and a second for the way. */
const READ_LIMIT_MS = 11_000;
const ORDER_LIMIT_MS = 26_000;

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns how long caches may keep an answer: markets and books for a second, all else not at all. */
function cachingOf(operation: string, { method, status }: Answer): string {
  const isRead = ['markets', 'book'].includes(operation) && method !== 'OPTIONS' && [200, 304].includes(status);
  return isRead ? 'public, max-age=0, s-maxage=1' : 'no-store';
}

/** Checks the headers that every answer of the service has. */
function checkCommon(operation: string, answer: Answer): void {
  const { status, headers, body } = answer;
  assert.equal(headers.get('cache-control'), cachingOf(operation, answer));
  const requestId = headers.get('x-request-id');
  assert.ok(requestId, 'the answer has no X-Request-Id');
  if (status === 429 || status === 503) {
    assert.match(headers.get('retry-after') ?? '', /^\d+$/, `a ${status} has no Retry-After`);
  }
  if (typeof body === 'object' && body !== null && 'request_id' in body) {
    assert.equal(body.request_id, requestId, 'request_id and X-Request-Id differ');
  }
}

/** The service, and how it is reached. */
export interface AskDeps {
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  readonly contract: Contract;
  /** Only a gateway answers by itself. */
  readonly edge: 'local' | 'gateway';
  /** Gets every answer of the service. */
  readonly note: (operation: string, answer: Answer) => void;
}

/** The suite asks faster than a gateway may let through. A 429 of its own reached no function: it may be repeated. */
const THROTTLED = { attempts: 5, pauseMs: 1_000 } as const;

/** Makes the function by which checks ask: every answer is held against the document, and against the clock. */
export function createAsk({ baseUrl, fetch, contract, edge, note }: AskDeps): Ask {
  const askOnce = async ({ operation, method = 'GET', target, headers = {}, body }: Request): Promise<Answer> => {
    const limitMs = method === 'POST' ? ORDER_LIMIT_MS : READ_LIMIT_MS;
    const signal = AbortSignal.timeout(limitMs);
    const sent = { method, headers, redirect: 'manual', signal, ...(body && { body }) } as const;
    const answered = async () => {
      const response = await fetch(baseUrl + target, sent);
      const text = await response.text();
      // So that the prompt of a terminal starts on a line of its own.
      assert.match(text, /^$|\n$|^\{"message"/, 'the body does not end with a newline');
      return { method, status: response.status, headers: response.headers, body: parsed(text) };
    };
    const answer = await answered().catch((cause: unknown) => {
      throw signal.aborted ? new Error(`no answer in ${limitMs / 1_000} s`, { cause }) : cause;
    });
    contract.checkAnswer(operation, answer);
    if (isOfGateway(answer)) {
      assert.equal(edge, 'gateway', `only a gateway answers ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer;
    }
    checkCommon(operation, answer);
    note(operation, answer);
    return answer;
  };
  return async (request) => {
    let answer = await askOnce(request);
    for (let attempt = 1; attempt < THROTTLED.attempts && answer.status === 429 && isOfGateway(answer); attempt += 1) {
      await sleep(THROTTLED.pauseMs);
      answer = await askOnce(request);
    }
    return answer;
  };
}
