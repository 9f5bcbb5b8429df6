import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/** Starts a server on a free port of the loopback interface, and returns its address. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on TCP.');
  return `http://127.0.0.1:${address.port}`;
}

/** Closes a server and its connections; one that is closed already stays so. */
export async function shut(server: HttpServer): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}
