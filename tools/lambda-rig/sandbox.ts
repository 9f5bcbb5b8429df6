import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeployedFunction } from './assembly.ts';
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

/** The folder of the runtime client, put together once for all sandboxes. */
export interface Stage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** An execution environment of a function. */
export interface Sandbox extends Pick<RuntimeApi, 'initialised'> {
  /** The time in milliseconds after which Lambda would end an invocation. */
  readonly timeout: number;
  invoke(event: object): Promise<unknown>;
  /** Everything that it wrote. */
  output(): string;
  stop(): void;
}

const NATIVE_CLIENT = 'return cjsRequire("./rapid-client.node");';

/** Root makes a mount namespace as it is; others need a user namespace around it. */
const NAMESPACE = process.getuid?.() === 0 ? '-m' : '-Urm';

/** Without it nothing here can run as on Lambda: better no result than one that means something else. */
function requireNamespaces(): void {
  const { status, stderr, error } = spawnSync('unshare', [NAMESPACE, 'true'], { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(
    `This machine does not permit mount namespaces (unshare ${NAMESPACE}: ${error?.message ?? stderr.trim()}). ` +
      'The rig needs Linux and root, or unprivileged user namespaces.',
  );
}

/** Copies the runtime client and replaces its native part by our few lines. */
export async function prepareStage(): Promise<Stage> {
  requireNamespaces();
  const folder = await mkdtemp(join(tmpdir(), 'lambda-rig-'));
  const source = await readFile(new URL(import.meta.resolve('aws-lambda-ric')), 'utf8');
  if (source.split(NATIVE_CLIENT).length !== 2) throw new Error('aws-lambda-ric loads its native client otherwise now');
  const patched = source.replace(NATIVE_CLIENT, 'return (await import("./rapid-client.mjs")).client;');
  await writeFile(join(folder, 'index.mjs'), patched);
  await copyFile(join(import.meta.dirname, 'rapid-client.mjs'), join(folder, 'rapid-client.mjs'));
  await writeFile(join(folder, 'node'), '');
  await mkdir(join(folder, 'no-layer'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The variables that Lambda sets besides the function's own; nothing of this process leaks in. */
function environment({ name, handler, memory }: DeployedFunction, api: RuntimeApi): NodeJS.ProcessEnv {
  return {
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: '/var/task',
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    AWS_LAMBDA_RUNTIME_API: api.address,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_GROUP_NAME: name,
    AWS_LAMBDA_LOG_STREAM_NAME: 'rig',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDRIG',
    AWS_SECRET_ACCESS_KEY: 'rig',
    AWS_SESSION_TOKEN: 'rig',
    PATH: '/usr/local/bin:/usr/bin:/bin:/opt/bin:/usr/sbin:/sbin',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}

/** Starts a function as Lambda does. `variables` are added to its own, for endpoints on this machine. */
export async function startSandbox(
  target: DeployedFunction,
  { folder }: Stage,
  variables: Readonly<Record<string, string>>,
): Promise<Sandbox> {
  const api = await startRuntimeApi();
  const { task, layer = join(folder, 'no-layer'), timeout } = target;
  const script = join(import.meta.dirname, 'sandbox.sh');
  const child = spawn('unshare', [NAMESPACE, 'bash', script, task, layer, folder, process.execPath], {
    env: { ...environment(target, api), ...target.variables, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`the sandbox of ${target.name} ended (${code ?? signal}):\n${output.slice(-2_000)}`));
    });
  });
  ended.catch(() => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const initialised = Promise.race([api.initialised, ended]);
  initialised.catch(() => undefined);
  return {
    timeout,
    initialised,
    invoke: (event) => Promise.race([api.invoke(event, timeout), ended]),
    output: () => output,
    stop: () => {
      child.removeAllListeners('exit').kill('SIGKILL');
      api.close();
    },
  };
}
