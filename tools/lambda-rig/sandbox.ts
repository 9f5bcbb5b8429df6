import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

/** A function as the synthesized template describes it. */
export interface DeployedFunction {
  readonly name: string;
  /** The folders that become /var/task and /opt. */
  readonly task: string;
  readonly layer: string;
  readonly handler: string;
  /** In megabytes. */
  readonly memory: number;
  /** In milliseconds. */
  readonly timeout: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** An execution environment of a function. */
export interface Sandbox extends Disposable, Pick<RuntimeApi, 'initialised'> {
  /** Rejects when the function throws, or does not answer in its time. */
  invoke(event: object): Promise<unknown>;
  /** Returns everything that it wrote. */
  output(): string;
}

const RUNTIME_CLIENT = join(import.meta.dirname, 'node_modules/aws-lambda-ric/index.mjs');

/** The variables that Lambda sets; nothing of this process leaks in. */
function environment({ name, task, layer, handler, memory }: DeployedFunction, api: RuntimeApi): NodeJS.ProcessEnv {
  return {
    RIG_LAYER: layer,
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: task,
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
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}

/** Starts a function under Lambda's runtime client. `variables`: endpoints on this machine, besides its own. */
export async function startSandbox(
  target: DeployedFunction,
  variables: Readonly<Record<string, string>>,
): Promise<Sandbox> {
  if (!existsSync(RUNTIME_CLIENT))
    throw new Error("Lambda's runtime client is missing: npm ci --prefix tools/lambda-rig");
  const api = await startRuntimeApi();
  const child = spawn(process.execPath, ['--import', join(import.meta.dirname, 'hooks.mjs'), RUNTIME_CLIENT], {
    cwd: tmpdir(),
    env: { ...environment(target, api), ...target.variables, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`the sandbox of ${target.name} ended (${code ?? signal}):\n${output.slice(-2_000)}`));
    });
  });
  const initialised = Promise.race([api.initialised, ended]);
  // A test that does not wait for the init learns of its failure from the invocation.
  for (const promise of [ended, initialised]) promise.catch(() => undefined);
  return {
    initialised,
    invoke: (event) => Promise.race([api.invoke(event, target.timeout), ended]),
    output: () => output,
    [Symbol.dispose]: () => {
      child.removeAllListeners('exit').kill('SIGKILL');
      api.close();
    },
  };
}
