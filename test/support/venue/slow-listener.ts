import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterTests } from '../jest.ts';

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const server = require('node:http').createServer((_request, response) => response.end('{}'));
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  parentPort.once('message', (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
  parentPort.postMessage(server.address().port);
});`;

/** Connections that wait until they are accepted: more than a backlog of one holds. */
const WAITING = 8;

/**
 * Starts a server on 127.0.0.1 that accepts no connection for a time: its backlog is full, so that the system drops what
 * comes, and connects it a second later. Returns its port; it ends after the test.
 */
export async function startSlowListener(busyMs = 700): Promise<number> {
  const worker = new Worker(PROGRAM, { eval: true });
  const [port] = await once(worker, 'message');
  worker.postMessage(busyMs);
  // Real waits: the kernel takes its time.
  await sleep(50);
  const waiting = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await sleep(50);
  stops.push(async () => {
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  });
  return port;
}

const stops: (() => Promise<void>)[] = [];

afterTests(async () => {
  for (const stop of stops.splice(0)) await stop();
});
