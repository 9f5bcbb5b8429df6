import { Agent, createServer, request as sendHttp } from 'node:http';
import { Agent as SecureAgent, request as sendHttps } from 'node:https';

/** The least that can stand before the venue: it pipes the venue's bytes, as they are, over connections kept alive. */
const { BENCH_VENUE_URL = '' } = process.env;
const secure = BENCH_VENUE_URL.startsWith('https:');
const options = { keepAlive: true, maxSockets: 256 };
const agent = secure ? new SecureAgent(options) : new Agent(options);
const send = secure ? sendHttps : sendHttp;

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
