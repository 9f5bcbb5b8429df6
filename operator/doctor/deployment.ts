import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCES } from '../../local/service/folders.ts';
import type { OperatorConfig } from '../account/access.ts';
import { readRecords } from '../account/records.ts';
import { type Finding, fail, ok, skip } from './check.ts';

type Stack = NonNullable<OperatorConfig['stack']>;

/** The states of a stack whose last deploy has succeeded or was rolled back. */
const FINISHED = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'];

/** Judges the state of a stack, and reads the index of its table where it has one. Throws `DeskError` where that fails. */
export async function checkStack(config: OperatorConfig, { name, status }: Stack): Promise<Finding> {
  if (!FINISHED.includes(status)) {
    return fail(
      `The stack ${name} is ${status}.`,
      'Wait for the deployment, or deploy again. The events of the stack say why.',
    );
  }
  if (config.hasIndex) await readRecords(config, () => undefined, Date.now());
  const trades = config.mode === 'order-placing' ? `places orders with ${config.walletAddress}` : 'takes no orders';
  return ok(`The stack ${name} is ${status}, and ${trades}.`);
}

const TOOL = join(SOURCES, 'tools/conformance/main.ts');
const CONFORMANCE_MS = 180_000;
const PASSED_ON = ['token-file', 'client-key-file'] as const;
type PassedOn = Readonly<Partial<Record<(typeof PASSED_ON)[number], string>>> & { readonly sign: boolean };

/** Runs the conformance check against the URL of a stack, with its options. */
export async function checkContract({ outputs, region }: Stack, options: PassedOn): Promise<Finding> {
  const url = outputs.get('Url') ?? '';
  const given = PASSED_ON.flatMap((name) => (options[name] === undefined ? [] : [`--${name}`, options[name]]));
  // The stack has this output only if the gateway takes signed orders only.
  const isSigned = options.sign || outputs.has('OrderRouteArn');
  const args = ['--url', url, '--region', region, ...(isSigned ? ['--sign'] : []), ...given];
  const again = `node tools/conformance/main.ts ${args.join(' ')}`;
  if (!existsSync(TOOL)) return skip(`The check of the contract is not in the package. In the source: ${again}`);
  const { promise, resolve } = Promise.withResolvers<Finding>();
  execFile(process.execPath, [TOOL, '--quick', ...args], { timeout: CONFORMANCE_MS }, (error, stdout, stderr) => {
    const counted = /\d+ passed, \d+ failed, \d+ skipped/.exec(stdout)?.[0] ?? 'no end';
    const said = [...stdout.split('\n').filter((line) => line.startsWith('FAIL')), stderr.trim()].join(' ').trim();
    if (error)
      resolve(fail(`${(said || counted).replaceAll(/\s+/g, ' ').replace(/\.$/, '')}.`, `Run ${again} to see it.`));
    else resolve(ok(`The service at ${url} keeps the contract: ${counted}.`));
  });
  return promise;
}
