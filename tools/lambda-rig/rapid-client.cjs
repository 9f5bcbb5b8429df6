/**
 * Replaces the runtime client's native part, which is not built here, by the same three calls over node:http. Only the
 * way in which bytes reach the Runtime API differs from Lambda.
 */
const { Agent, request } = require('node:http');

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new Agent({ keepAlive: true });

function call(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path: `/2018-06-01/runtime/invocation/${path}`, agent, headers };
    const outgoing = request(options, (response) => {
      let bodyJson = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        bodyJson += chunk;
      });
      response.on('end', () => resolve({ bodyJson, headers: response.headers }));
    });
    outgoing.on('error', reject).end(body);
  });
}

function post(path, headers, body) {
  // The native client reports a failure by an exception; here it ends the process, which the rig notices.
  void call('POST', path, { 'content-length': Buffer.byteLength(body), ...headers }, body);
}

module.exports = {
  initializeClient: () => undefined,
  next: () => call('GET', 'next', { 'x-process-start': performance.timeOrigin }),
  done: (id, body) => post(`${id}/response`, { 'content-type': 'application/json' }, body),
  error: (id, body) => post(`${id}/error`, { 'content-type': 'application/json' }, body),
};
