import { type ErrorCode, type Facts, OrderBookError } from './error.ts';

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function has<T>(value: unknown, members: readonly (keyof T & string)[]): value is T {
  return isObject(value) && members.every((name) => name in value);
}

interface ProblemBody {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly request_id: string;
}

/** The body of an answer as JSON; `undefined` where it is none, as with the HTML of a proxy. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function seconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

function factsOf(body: Readonly<Record<string, unknown>>): Facts {
  const { type, title, status, code, detail, request_id, ...facts } = body;
  return facts;
}

/** What an answer says: a body with at least these members, or an error. */
export async function readAnswer<T>(response: Response, members: readonly (keyof T & string)[]): Promise<T> {
  const body = await jsonOf(response);
  if (response.ok && has<T>(body, members)) return body;
  const { status, headers } = response;
  const retryAfter = seconds(headers.get('retry-after'));
  if (!response.ok && isObject(body) && has<ProblemBody>(body, ['code', 'detail', 'request_id'])) {
    const { code, detail, request_id: requestId } = body;
    throw new OrderBookError(detail, { code, status, requestId, retryAfter, facts: factsOf(body) });
  }
  throw new OrderBookError(`The answer (${status}) is not one of the service.`, {
    code: status === 429 ? 'rate_limited' : 'foreign_answer',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter,
  });
}
