import { createServer, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import express from 'express';
import { messageClassesFor } from '../../../local/http/express-app.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';

it('requests and responses have the prototypes that Express would give them, before it does', async () => {
  const app = express();
  const [request, response] = [app.request, app.response];
  const classes = messageClassesFor(app);
  const chainOf = (message: object) => [
    Object.getPrototypeOf(message),
    Object.getPrototypeOf(Object.getPrototypeOf(message)),
  ];
  const seen: unknown[] = [];
  app.use((one, other) => {
    seen.push(chainOf(one), chainOf(other));
    other.json(one.get('x-one'));
  });
  const server = createServer(classes, (one, other) => {
    seen.push(chainOf(one), chainOf(other));
    app(one, other);
  });
  const url = await listenOnLoopback(server);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers: { 'x-one': '1' } }, resolve).on('error', reject);
  });
  expect(await text(answer)).toBe('"1"');
  server.close();
  const chains = [
    [classes.IncomingMessage?.prototype, request],
    [classes.ServerResponse?.prototype, response],
  ];
  expect(seen).toStrictEqual([...chains, ...chains]);
});
