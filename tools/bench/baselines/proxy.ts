import { Agent, createServer, type IncomingMessage, request as send } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '../../support/loopback.ts';

/**
 * The least that can stand before the venue, over connections kept alive: it pipes the venue's bytes as they are or, with `json`,
 * parses and writes them, so that both sides spend their time in JavaScript and not in the kernel.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const server = createServer((request, response) => {
  const { method, headers, url } = request;
  const answerJson = async (answer: IncomingMessage) => {
    const text = JSON.stringify(await json(answer));
    response.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end(text);
  };
  const upstream = send(`${process.argv[2]}${url}`, { agent, method, headers }, (answer) => {
    if (process.argv[3] === 'json') return void answerJson(answer).catch(() => response.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', (error) => response.destroy(error));
  request.pipe(upstream);
});
process.stdout.write(`${await listenOnLoopback(server)}\n`);
