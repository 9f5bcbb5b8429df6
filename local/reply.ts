import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { drain } from './body.ts';

type Result = APIGatewayProxyStructuredResultV2;

function bytesOf({ body = '', isBase64Encoded }: Result): Buffer {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

function writeHead(response: ServerResponse, result: Result, hasBody: boolean): void {
  response.statusCode = result.statusCode ?? 200;
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  if (result.cookies?.length) response.setHeader('set-cookie', result.cookies);
  if (hasBody) response.setHeader('content-length', bytesOf(result).length);
}

export interface ReplyOptions {
  /** Whether this is the last answer on the connection. */
  readonly last: boolean;
  /** Milliseconds for what is left of the request's body. */
  readonly drainTime: number;
}

/** Writes a handler's result as the answer, as the gateway does. */
export async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  result: Result,
  { last, drainTime }: ReplyOptions,
): Promise<void> {
  const hasBody = request.method !== 'HEAD' && result.statusCode !== 204 && result.statusCode !== 304;
  writeHead(response, result, hasBody);
  // A body in the packet of its head is parsed right after this turn of the loop.
  if (!request.complete) await setImmediate();
  const unread = !request.complete;
  if (last || unread) response.setHeader('connection', 'close');
  if (!unread) {
    response.end(hasBody ? bytesOf(result) : undefined);
    return;
  }
  // Closing a connection with bytes still to be read resets it, and the client would lose its answer: so the answer
  // goes out and our half is closed first, then the rest of the request is dropped as it comes.
  if (hasBody) response.write(bytesOf(result));
  else response.flushHeaders();
  request.socket.end();
  await drain(request, drainTime);
  response.end();
  request.socket.destroySoon();
}

/** Writes a result where Node made no request of what came in, and closes the connection. */
export function replyRaw(socket: Duplex, result: Result, lingerTime: number): void {
  const status = result.statusCode ?? 500;
  const body = bytesOf(result);
  const headers = Object.entries({ ...result.headers, 'content-length': body.length, connection: 'close' });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ndate: ${new Date().toUTCString()}\r\n${head}\r\n`);
  socket.end(body);
  const timer = setTimeout(() => socket.destroy(), lingerTime);
  socket.once('close', () => clearTimeout(timer)).resume();
}
