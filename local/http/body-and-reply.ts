import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { invalid } from './request-head.ts';

type Result = APIGatewayProxyStructuredResultV2;

/** Creates the error for a connection that ended before its request was begun. */
export function brokenOff(when: string): Error {
  return invalid(`The connection ended ${when}.`, 'body', 'must be as long as Content-Length says, and be awaited.');
}

/**
 * Reads a body, but no more than one byte above `limit`: enough for the pipeline to see that it is too large. The rest
 * stays unread. Rejects with the reason of `broken` when the connection fails on the way.
 */
export function readBody(request: IncomingMessage, limit: number, broken: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = () => resolve(Buffer.concat(chunks).subarray(0, limit + 1));
  const collect = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) finish();
  };
  // A complete body is good, whatever follows it.
  const fail = () => {
    if (!request.complete) reject(broken.reason);
  };
  const leave = () => {
    if (!request.readableEnded) reject(brokenOff('within the body'));
  };
  if (broken.aborted) fail();
  // It may have ended while the head was being checked.
  if (request.destroyed) leave();
  request.on('data', collect).on('end', finish).on('close', leave);
  broken.addEventListener('abort', fail);
  return promise.finally(() => {
    request.off('data', collect).off('end', finish).off('close', leave).pause();
    broken.removeEventListener('abort', fail);
  });
}

/** Takes in and drops the rest of a body until it ends, the connection closes, or the time is over. */
async function drain(request: IncomingMessage, drainMs: number): Promise<void> {
  if (request.complete || request.destroyed) return;
  await once(request.resume(), 'close', { signal: AbortSignal.timeout(drainMs) }).catch(() => undefined);
}

/** Decodes a body; a text stays one, since Node writes a text together with the head and bytes behind it. */
function bodyOf({ body = '', isBase64Encoded }: Result): string | Buffer {
  return isBase64Encoded ? Buffer.from(body, 'base64') : body;
}

/** Choices of one response. */
export interface ReplyOptions {
  /** The connection is closed after this response. */
  readonly last: boolean;
  /** Limits the wait for the rest of the request's body. */
  readonly drainMs: number;
  /** Called when the response is written, which the client has yet to read. */
  readonly onWritten: (socket: Duplex) => void;
}

/** Writes a handler's result as the response, in the way of the gateway. */
export async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  result: Result,
  { last, drainMs, onWritten }: ReplyOptions,
): Promise<void> {
  const { statusCode = 200, headers, cookies } = result;
  const hasBody = request.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  const body = hasBody ? bodyOf(result) : undefined;
  // A body in the packet of its head is parsed right after this turn of the loop.
  if (!request.complete) await setImmediate();
  const unread = !request.complete;
  // With its reason phrase: otherwise Node keeps that of a head that it refused to write.
  response.writeHead(statusCode, STATUS_CODES[statusCode], {
    ...headers,
    ...(cookies?.length && { 'set-cookie': cookies }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    // Behind a request for an upgrade, Node's parser drops what it has read.
    ...((last || unread || request.headers.upgrade !== undefined) && { connection: 'close' }),
  });
  if (!unread) {
    response.end(body);
    onWritten(request.socket);
    return;
  }
  // Closing a connection with bytes still to be read resets it, and the client would lose its response: so that
  // goes out and our half is closed first, then the rest of the request is dropped as it comes.
  if (body) response.write(body);
  else response.flushHeaders();
  request.socket.end();
  onWritten(request.socket);
  await drain(request, drainMs);
  response.end();
  request.socket.destroySoon();
}

/** Writes a result where Node made no request of what came in, and closes the connection. */
export function replyRaw(socket: Duplex, result: Result, lingerMs: number): void {
  const status = result.statusCode ?? 500;
  const body = bodyOf(result);
  const length = Buffer.byteLength(body);
  const headers = Object.entries({ ...result.headers, 'content-length': length, connection: 'close' });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ndate: ${new Date().toUTCString()}\r\n${head}\r\n`);
  socket.end(body);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer)).resume();
}
