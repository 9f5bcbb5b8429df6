import assert from 'node:assert/strict';
import type { Answer } from './answer.ts';
import type { Contract } from './contract.ts';

/** What `fetch` is; the suite needs no more of it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export interface Request {
  /** By its `operationId`; the answer must be one that the document gives for it. */
  readonly operation: string;
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export type Ask = (request: Request) => Promise<Answer>;

/** Milliseconds in which an answer has to be there: what the contract promises, and a second for the way. */
const READ_LIMIT = 11_000;
const ORDER_LIMIT = 26_000;

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The code of a problem. */
export function codeOf({ body }: Answer): string | undefined {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
}

/** What every answer has, whatever it is to. */
function checkCommon({ status, headers, body }: Answer): void {
  const requestId = headers.get('x-request-id');
  assert.ok(requestId, 'the answer has no X-Request-Id');
  if (status === 429 || status === 503) {
    assert.match(headers.get('retry-after') ?? '', /^\d+$/, `a ${status} has no Retry-After`);
  }
  if (typeof body === 'object' && body !== null && 'request_id' in body) {
    assert.equal(body.request_id, requestId, 'request_id and X-Request-Id differ');
  }
}

export interface AskDeps {
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  readonly contract: Contract;
  /** Gets `operation status code` of every answer. */
  readonly seen: Set<string>;
}

/** Makes the function by which checks ask: every answer is held against the document, and against the clock. */
export function createAsk({ baseUrl, fetch, contract, seen }: AskDeps): Ask {
  return async ({ operation, method = 'GET', target, headers = {}, body }) => {
    const startedAt = performance.now();
    const response = await fetch(baseUrl + target, { method, headers, redirect: 'manual', ...(body && { body }) });
    const answer = { method, status: response.status, headers: response.headers, body: parsed(await response.text()) };
    const elapsed = performance.now() - startedAt;
    const limit = method === 'POST' ? ORDER_LIMIT : READ_LIMIT;
    assert.ok(elapsed < limit, `the answer took ${Math.round(elapsed)} ms`);
    contract.checkAnswer(operation, answer);
    checkCommon(answer);
    const code = codeOf(answer);
    seen.add([operation, answer.status, ...(code ? [code] : [])].join(' '));
    return answer;
  };
}

/** Expects a problem with this code, and where given with an error that names this field. */
export function expectProblem(answer: Answer, code: string, field?: string): void {
  assert.ok(codeOf(answer) === code, `expected ${code}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  if (field === undefined) return;
  const { body } = answer;
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  assert.ok(JSON.stringify(errors).includes(`"field":"${field}"`), `errors does not name ${field}`);
}
