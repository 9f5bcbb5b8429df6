import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { flag, runCommand, UsageError, type Values } from '../../local/command-line.ts';
import { errorCode } from '../../shared/node-error.ts';
import { PRIVATE_KEY } from '../../shared/settings/credentials.ts';
import { parseText } from '../../shared/settings/formats.ts';
import type { Result } from '../../test/contract/run.ts';
import { formatJunit, formatResult, formatSummary } from './report.ts';
import { regionOf } from './signed-fetch.ts';

const COMMAND = {
  purpose: 'Holds a running service against openapi.json.',
  usage: 'npm run conformance -- --url URL [options]',
  options: {
    url: { type: 'string', value: 'URL', meaning: 'base address of the service' },
    sign: flag(
      'sign every request with AWS credentials, found as the AWS SDK does: a deployment takes no other orders by default',
    ),
    'token-file': {
      type: 'string',
      value: 'FILE',
      meaning: "send the token in this file with every request: for orderAccess=jwt, a login's access token",
    },
    'client-key-file': {
      type: 'string',
      value: 'FILE',
      meaning: 'the private key of a client that may order, where only listed clients may: signs its orders',
    },
    region: { type: 'string', value: 'REGION', meaning: "the API's region, where its address does not say it" },
    orders: flag('also place an order: post-only, of the smallest size, far from the market; shows the cost and asks'),
    yes: flag('do not ask'),
    quick: flag('leave out what takes longer than ten seconds'),
    junit: { type: 'string', value: 'FILE', meaning: "write the results as JUnit's XML, too" },
  },
  notes: 'Exits with 0 if the service conforms, with 1 if it does not, and with 2 if nothing could be found out.\n',
} as const;

/** Exit codes: 0 the service conforms, 1 it does not, 2 nothing could be found out. */
const CANNOT_TELL = 2;

async function ask(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Nobody can be asked here: give --yes to agree.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Place it? [y/N] ').finally(() => terminal.close());
  const agreed = /^y(es)?$/i.test(answer.trim());
  if (!agreed) process.stdout.write('No orders then.\n');
  return agreed;
}

/** Reads the options; throws `UsageError` where one is missing or none of its kind. */
function readOptions({
  url,
  sign,
  region,
  'token-file': tokenFile,
  'client-key-file': keyFile,
  ...rest
}: Values<typeof COMMAND.options>) {
  if (url === undefined) throw new UsageError('--url must name the service.');
  if (!URL.canParse(url)) throw new UsageError('--url must be a URL, such as http://127.0.0.1:8080.');
  const baseUrl = url.replace(/\/+$/, '');
  const signingRegion = region ?? regionOf(baseUrl);
  if (sign && signingRegion === undefined) throw new UsageError('--url does not name its region: give --region, too.');
  if (sign && tokenFile !== undefined) throw new UsageError('--sign and --token-file exclude each other.');
  return {
    baseUrl,
    tokenFile,
    keyFile,
    ...(sign && signingRegion !== undefined && { sign: { region: signingRegion } }),
    ...rest,
  };
}

async function conform(options: ReturnType<typeof readOptions>): Promise<number> {
  const { baseUrl, sign, tokenFile, keyFile, orders, yes, quick, junit } = options;
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
  const keyText = keyFile === undefined ? undefined : (await readFile(keyFile, 'utf8')).trim();
  const clientKey = keyText === undefined ? undefined : parseText(keyText, '--client-key-file', PRIVATE_KEY);
  const confirmOrders = async (cost: string) => {
    process.stdout.write(`${cost}\n`);
    return yes || ask();
  };
  const onResult = (result: Result) => process.stdout.write(formatResult(result));
  // Loaded only here: `--help` does without.
  const { runConformance } = await import('./conform.ts');
  const asked = { baseUrl, sign, token, clientKey, quick, onResult };
  const report = await runConformance({ ...asked, ...(orders && { confirmOrders }) });
  process.stdout.write(formatSummary(report));
  if (junit !== undefined) await writeFile(junit, formatJunit(report));
  return report.passed ? 0 : 1;
}

process.exitCode = await runCommand(COMMAND, async (values) => {
  const options = readOptions(values);
  try {
    return await conform(options);
  } catch (error) {
    if (errorCode(error) === 'ERR_MODULE_NOT_FOUND') {
      process.stderr.write('The checks need the packages for development: run npm ci first.\n');
      return CANNOT_TELL;
    }
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    process.stderr.write(`${error instanceof Error ? error.message : error}${cause}\n`);
    return CANNOT_TELL;
  }
});
