import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startService } from '../../local/service/service.ts';
import type { Environment } from '../../shared/settings/table.ts';
import type { Assembly } from './assembly.ts';
import { type ClientRequest, route } from './gateway.ts';
import { type Sandbox, type Stage, startSandbox } from './sandbox.ts';

/** An answer, by whatever way it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

/** One of the ways to put a request to the service. */
export interface Way {
  send(request: ClientRequest): Promise<Answer>;
  close(): Promise<void>;
}

/** Belong to the connection, not to the answer: on AWS the gateway sets them. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'keep-alive']);

function parseBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

/** The service behind the local shim, configured by `settings` alone. */
export async function openLocal(settings: Environment): Promise<Way> {
  const folder = await mkdtemp(join(tmpdir(), 'rig-local-'));
  const env = { ...settings, SERVICE_PORT: '0', SERVICE_STORE: join(folder, 'orders.db') };
  const service = await startService(env, { write: () => undefined });
  return {
    send: async ({ method, path, headers = {}, body }) => {
      // As bytes: to a text fetch would add a Content-Type.
      const init = { method, headers, ...(body !== undefined && { body: Buffer.from(body) }) };
      const response = await fetch(service.url + path, init);
      const received = [...response.headers].filter(([name]) => !TRANSPORT_HEADERS.has(name));
      return {
        status: response.status,
        headers: Object.fromEntries(received),
        body: parseBody(await response.text()),
      };
    },
    close: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const gatewayResult = z.strictObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().optional(),
});

/** Makes of a function's result what the gateway does. */
export function toAnswer(result: unknown): Answer {
  const { statusCode, headers, body = '', isBase64Encoded = false } = gatewayResult.parse(result);
  const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('utf8');
  return { status: statusCode, headers, body: parseBody(text) };
}

/** A way through the gateway. */
export interface Deployment extends Way {
  readonly sandboxes: ReadonlyMap<string, Sandbox>;
}

/** The deployment behind a way. */
export interface DeploymentOptions {
  readonly assembly: Assembly;
  readonly stage: Stage;
  /** Endpoints on this machine, for every function. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The synthesized functions under Lambda's runtime client, behind the routes of the template. */
export async function openDeployment({ assembly, stage, variables }: DeploymentOptions): Promise<Deployment> {
  const sandboxes = new Map<string, Sandbox>();
  for (const [name, target] of assembly.functions) {
    const sandbox = await startSandbox(target, stage, variables);
    sandboxes.set(name, sandbox);
    // One after the other: two starts at once would measure each other.
    await sandbox.initialised;
  }
  return {
    sandboxes,
    send: async (request) => {
      const { target, event } = route(assembly, request);
      return toAnswer(await sandboxes.get(target)?.invoke(event));
    },
    close: async () => {
      for (const sandbox of sandboxes.values()) sandbox.stop();
    },
  };
}
