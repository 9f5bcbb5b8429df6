import { addressOf, type ErrorCode, memberOf, NOT_PASSED_ON, OrderBookError } from './error.ts';

type KindOf<Value> = [Value] extends [string]
  ? 'string'
  : [Value] extends [boolean]
    ? 'boolean'
    : [Value] extends [readonly unknown[]]
      ? 'array'
      : never;

/** Members by which the client recognises a `T`, each with the kind of its value. */
export type Marks<T> = { readonly [Name in keyof T]?: KindOf<T[Name]> };

interface ProblemBody {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly status?: unknown;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly request_id: string;
}

/**
 * Returns true for an answer of the service, which is recognised by its marks. Its other members are trusted, not checked:
 * they are the service's own document, and this client must understand an older and a newer service. Refusing an order's
 * answer for a missing member would report a placed order as unsettled.
 */
function isFromService<T>(body: unknown, marks: Marks<T>): body is T {
  return Object.entries<string | undefined>(marks).every(([name, kind]) => {
    const value = memberOf(body, name);
    return (Array.isArray(value) ? 'array' : typeof value) === kind;
  });
}

/** Parses the body; `undefined` if it is not JSON, such as the HTML of a proxy. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseSeconds(header: string | null): number | undefined {
  return /^\d+$/.test(header ?? '') ? Number(header) : undefined;
}

/** Returns a sentence on a redirect that turned an order into a GET; else `undefined`. */
function lostByRedirect({ status, redirected, url }: Response, baseUrl: string): string | undefined {
  if (!redirected || status !== 405) return undefined;
  const way = `${addressOf(baseUrl)} redirects to ${addressOf(url).replace(/\/v1\/.*$/, '')}`;
  return `${way}, and the order was lost on the way: give that address as baseUrl.`;
}

function errorOf(response: Response, body: unknown, baseUrl: string): OrderBookError {
  const { status, headers } = response;
  const retryAfter = parseSeconds(headers.get('retry-after'));
  const marks = { code: 'string', detail: 'string', request_id: 'string' } as const;
  if (!response.ok && isFromService<ProblemBody>(body, marks)) {
    const { type, title, status: _repeated, code, detail, request_id: requestId, ...facts } = body;
    const sentence = lostByRedirect(response, baseUrl) ?? detail;
    return new OrderBookError(sentence, { code, status, requestId, retryAfter, facts });
  }
  const isOfGateway = NOT_PASSED_ON.includes(status) || status >= 500;
  const advice = isOfGateway ? 'a gateway or proxy in front of it did.' : 'check baseUrl.';
  return new OrderBookError(`${addressOf(baseUrl)} answered ${status}, but not as this service does: ${advice}`, {
    code: status === 429 ? 'rate_limited' : 'foreign_answer',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter,
  });
}

/** Returns the body of a successful answer that has the marks of a `T`; throws `OrderBookError` for any other. */
export async function readAnswer<T>(response: Response, marks: Marks<T>, baseUrl: string): Promise<T> {
  const body = await readJson(response);
  if (response.ok && isFromService(body, marks)) return body;
  throw errorOf(response, body, baseUrl);
}
