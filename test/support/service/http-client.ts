import { once } from 'node:events';
import { type Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer as it was received. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request as it is sent. */
export interface Send {
  readonly method?: string;
  readonly path?: string;
  /** As they are written, `Host` included; an array of alternating names and values allows duplicates. */
  readonly headers?: OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Buffer;
  /** The agent whose connections are used; without one the request has a connection of its own. */
  readonly agent?: Agent;
}

/** Sends one request, with headers that `fetch` would not let pass. */
export function send(url: string, { method = 'GET', path = '/', headers = {}, body, agent }: Send): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest({ hostname, port, method, path, headers, agent: agent ?? false }, (response) => {
    text(response).then(
      (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
      reject,
    );
  });
  request.on('error', reject).end(body);
  return promise;
}

/** A raw connection: whatever is written, and everything that comes back. */
export function openRaw(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => socket.destroy());
  const closed = once(socket, 'close').then(() => received);
  return { socket, closed, received: () => received };
}

/** Takes apart answers that carry a content length. */
export function parseAnswers(received: string) {
  const answers: (Answer & { readonly headers: Readonly<Record<string, string>> })[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(': ', 1).join().toLowerCase(), line.replace(/^[^:]*: /, '')]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const status = Number(statusLine.split(' ')[1]);
    answers.push({ status, headers, text: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
