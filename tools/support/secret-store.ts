import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOnLoopback } from './loopback.ts';

/** Secrets Manager on loopback with one secret. */
export interface SecretStore {
  readonly url: string;
  /** Sets what the next reads get; `undefined` makes them fail. */
  set(value: string | undefined): void;
  /** Counts the reads, failures included. */
  reads(): number;
  close(): void;
}

const getSecretValue = z.object({ SecretId: z.string() });

/** Starts a Secrets Manager with one secret. */
export async function startSecretStore(name: string): Promise<SecretStore> {
  let value: string | undefined;
  let reads = 0;
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    };
    if (request.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') {
      await text(request);
      return reply(400, { __type: 'InvalidAction' });
    }
    reads += 1;
    const { SecretId } = getSecretValue.parse(await json(request));
    if (SecretId !== name) return reply(400, { __type: 'ResourceNotFoundException', message: 'no such secret' });
    if (value === undefined) return reply(500, { __type: 'InternalServiceError', message: 'try again' });
    return reply(200, { Name: name, SecretString: value });
  });
  return {
    url: await listenOnLoopback(server),
    set: (next) => {
      value = next;
    },
    reads: () => reads,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
