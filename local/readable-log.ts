import * as z from 'zod/mini';
import { ROUTES } from '../functions/routes.ts';

/** Colours a text, or returns it unchanged where colours are not wanted. */
export type Paint = (style: 'dim' | 'green' | 'yellow' | 'red', text: string) => string;

const anyLine = z.looseObject({ time: z.string(), level: z.string(), message: z.string() });

const requestLine = z.looseObject({
  message: z.literal('request'),
  route: z.nullable(z.string()),
  method: z.optional(z.string()),
  path: z.optional(z.string()),
  status: z.number(),
  duration_ms: z.number(),
  request_id: z.string(),
  venue_calls: z.optional(z.array(z.object({ name: z.string(), result: z.union([z.string(), z.number()]) }))),
  order_id: z.optional(z.string()),
  order_status: z.optional(z.string()),
  replayed: z.optional(z.boolean()),
  code: z.optional(z.string()),
});

const describedOrder = z.object({ side: z.string(), size: z.string(), price: z.string() });

const describedError = z.looseObject({
  message: z.string(),
  code: z.optional(z.string()),
  stack: z.optional(z.string()),
  cause: z.optional(z.unknown()),
});

const PATHS: ReadonlyMap<string, string> = new Map(Object.values(ROUTES).map(({ name, path }) => [name, path]));

/** Enough of an order's id to find it in a list. */
const SHORT_ID_CHARACTERS = 10;

/**
 * Escapes characters that a terminal obeys or does not show. The log contains addresses, paths and sentences of others,
 * which must not move the cursor, hide a line or reverse its direction.
 */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function valueText(value: unknown): string {
  const plain = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return visible(plain ?? '');
}

/** Writes members as `name=value`; those without a value are left out. */
function membersText(members: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(members)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => `${visible(name)}=${valueText(value)}`);
}

/** Writes an error and its causes on one line. */
function errorText(value: unknown): string {
  const { success, data } = describedError.safeParse(value);
  if (!success) return valueText(value);
  const own = visible(data.code === undefined ? data.message : `${data.message} (${data.code})`);
  return isEmpty(data.cause) ? own : `${own} <- ${errorText(data.cause)}`;
}

/** Returns the frames of an error's stack, a line each; without any, those of its cause. */
function stackText(value: unknown): string {
  const { stack, cause } = describedError.safeParse(value).data ?? {};
  if (stack === undefined) return isEmpty(cause) ? '' : stackText(cause);
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return frames.map((frame) => `\n${visible(frame)}`).join('');
}

function colourOf(status: number) {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

function orderText(value: unknown): string | undefined {
  const { data: order } = describedOrder.safeParse(value);
  return order && `${order.side} ${order.size} @ ${order.price}`;
}

function requestText(line: z.infer<typeof requestLine>, paint: Paint): string {
  const { message: _message, time: _time, level: _level, route, method, path, status, duration_ms, ...facts } = line;
  const { order, order_id: orderId, order_status, replayed, code, venue_calls = [], ...rest } = facts;
  const { request_id, ...members } = rest;
  const failed = status >= 400;
  const before = [method, route === null ? '-' : (PATHS.get(route) ?? path)];
  const after = [
    `${Math.round(duration_ms)} ms`,
    orderText(order),
    order_status,
    failed ? orderId : orderId && `${orderId.slice(0, SHORT_ID_CHARACTERS)}…`,
    replayed ? 'replayed' : undefined,
    code,
    // Also of an order whose answer was lost, and which was found by a look-up.
    ...(status >= 500 || venue_calls.some(({ result }) => typeof result === 'string')
      ? venue_calls.map(({ name, result }) => `${name}: ${result}`)
      : []),
  ];
  const words = (parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined).map(visible);
  const details = membersText({ ...members, ...(failed && { request_id }) });
  return [...words(before), paint(colourOf(status), String(status)), ...words(after), ...details].join(' ');
}

function otherText({ level, message, time: _time, ...rest }: z.infer<typeof anyLine>, paint: Paint): string {
  const { error, order, ...members } = rest;
  const severe = level === 'error';
  const begin = level === 'warn' || severe ? `${paint(severe ? 'red' : 'yellow', level)} ` : '';
  const why = [orderText(order) ?? [], isEmpty(error) ? [] : errorText(error)].flat();
  return [begin + visible(message), ...why, ...membersText(members)].join(' ') + (severe ? stackText(error) : '');
}

/**
 * Creates the formatter of log lines for a person at a terminal: takes a line of JSON and returns one to read, with the time of
 * day here. Members keep their names; an error of level `error` has its stack below. Characters that a terminal
 * would obey are escaped. `isOnPaper`: shortens the line of the start.
 */
export function createReadableLog(paint: Paint, isOnPaper = false): (line: string) => string {
  return (line) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch {
      return visible(line);
    }
    const found = anyLine.safeParse(parsed);
    if (!found.success) return visible(line);
    const at = paint('dim', new Date(found.data.time).toTimeString().slice(0, 8));
    const { message, url, mode } = found.data;
    // The first screen on paper has said the rest.
    if (isOnPaper && message === 'listening') return `${at} ${[message, ...membersText({ url, mode })].join(' ')}`;
    const request = requestLine.safeParse(parsed);
    return `${at} ${request.success ? requestText(request.data, paint) : otherText(found.data, paint)}`;
  };
}
