import { Agent, createServer, request as send } from 'node:http';

/** The least that can stand before the venue: it pipes the venue's bytes, as they are, over connections kept alive. */
const { BENCH_VENUE_URL = '' } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const server = createServer((request, response) => {
  const { method, headers, url } = request;
  const upstream = send(`${BENCH_VENUE_URL}${url}`, { agent, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', (error) => response.destroy(error));
  request.pipe(upstream);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
