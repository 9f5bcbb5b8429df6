import { Agent, createServer, request as send } from 'node:http';
import { listenOnLoopback } from '../../support/loopback.ts';

/** The least that can stand before the venue: it pipes the venue's bytes, as they are, over connections kept alive. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const server = createServer((request, response) => {
  const { method, headers, url } = request;
  const upstream = send(`${process.argv[2]}${url}`, { agent, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', (error) => response.destroy(error));
  request.pipe(upstream);
});
process.stdout.write(`${await listenOnLoopback(server)}\n`);
