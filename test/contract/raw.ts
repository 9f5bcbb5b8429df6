import assert from 'node:assert/strict';
import { openRaw as connectTo, parseAnswers } from '../support/service/http-client.ts';
import { type Answer, codeOf } from './answer.ts';
import type { World } from './check.ts';

/** A raw connection is given up after this time. */
const GIVE_UP_MS = 20_000;

/** Opens a connection to the service on which any bytes can be written. `operation`: what its problems are answers to. */
export function openRaw({ baseUrl, note, contract }: World, operation = 'health') {
  const { socket, closed, received } = connectTo(baseUrl);
  socket.setTimeout(GIVE_UP_MS, () => socket.destroy(new Error('the server did not close the connection')));
  const answered = closed.then((all) => {
    const answers = parseAnswers(all).map(({ status, headers, text }): Answer => {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      return { method: 'GET', status, headers: new Headers(headers), body };
    });
    for (const answer of answers) {
      if (answer.status < 400) continue;
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      // The document gives `not_found` for what is not quite a book.
      const answered = codeOf(answer) === 'not_found' ? 'book' : operation;
      contract.checkAnswer(answered, answer);
      note(answered, answer);
    }
    return answers;
  });
  return { socket, answered, received };
}

/** Writes bytes and reads the answers until the server closes the connection: what `fetch` would not send. */
export async function raw(world: World, text: string, { halfClose = false } = {}): Promise<readonly Answer[]> {
  const { socket, answered } = openRaw(world, text.startsWith('POST /v1/orders') ? 'orders' : 'health');
  const bytes = Buffer.from(text, 'latin1');
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  return answered;
}
