import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, codeOf } from './answer.ts';
import type { World } from './check.ts';

/** A raw connection is given up after this time. */
const GIVE_UP_MS = 20_000;

function readHead(head: string): { readonly status: number; readonly headers: Headers } {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const end = line.indexOf(': ');
    headers.append(line.slice(0, end), line.slice(end + 2));
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]), headers };
}

/** Takes apart answers that carry a content length. */
function readAnswers(received: string): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const { status, headers } = readHead(rest.slice(0, end));
    const length = Number(headers.get('content-length') ?? 0);
    const text = rest.slice(end + 4, end + 4 + length);
    answers.push({ method: 'GET', status, headers, body: text === '' ? undefined : JSON.parse(text) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** Opens a connection to the service on which any bytes can be written. `operation`: what its problems are answers to. */
export function openRaw({ baseUrl, note, contract }: World, operation = 'health') {
  const { hostname, port } = new URL(baseUrl);
  let received = '';
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
  let isOpen = false;
  socket.setTimeout(GIVE_UP_MS, () => {
    isOpen = true;
    socket.destroy();
  });
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  // A connection that is cut ends with what was received.
  socket.on('error', () => socket.destroy());
  const answered = once(socket, 'close').then(() => {
    if (isOpen) throw new Error('the server did not close the connection');
    const answers = readAnswers(received);
    for (const answer of answers) {
      if (answer.status < 400) continue;
      // The document gives `not_found` for what is not quite a book.
      const answered = codeOf(answer) === 'not_found' ? 'book' : operation;
      contract.checkAnswer(answered, answer);
      note(answered, answer);
    }
    return answers;
  });
  return { socket, answered, received: () => received };
}

/** Writes bytes and reads the answers until the server closes the connection: what `fetch` would not send. */
export async function raw(world: World, text: string, { halfClose = false } = {}): Promise<readonly Answer[]> {
  const { socket, answered } = openRaw(world, text.startsWith('POST /v1/orders') ? 'orders' : 'health');
  const bytes = Buffer.from(text, 'latin1');
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  return answered;
}
