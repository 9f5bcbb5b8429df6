import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { formatJunit, formatReport } from './report.ts';
import { regionOf } from './signed-fetch.ts';
import { runConformance } from './suite.ts';

const USAGE = `Usage: npm run conformance -- --url URL [--sign [--region REGION]] [--orders] [--yes] [--quick] [--junit FILE]

Holds a running service against openapi.json.
  --url URL     base address of the service
  --sign        sign every request with AWS credentials, found as the AWS SDK does: the default of a deployment
                takes no other orders
  --region R    the API's region, where its address does not say it
  --orders      also place an order: post-only, of the smallest size, far from the market; shows the cost and asks
  --yes         do not ask
  --quick       leave out what takes longer than ten seconds
  --junit FILE  write the results as JUnit's XML, too
`;

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

function readArguments() {
  const options = {
    url: { type: 'string' },
    sign: { type: 'boolean', default: false },
    region: { type: 'string' },
    orders: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    junit: { type: 'string' },
  } as const;
  const { url, sign, region, ...rest } = parseArgs({ options }).values;
  if (url === undefined || !URL.canParse(url)) throw new Error(USAGE);
  const baseUrl = url.replace(/\/+$/, '');
  const signingRegion = region ?? regionOf(baseUrl);
  if (sign && signingRegion === undefined) throw new Error(`${url} does not name its region: give --region, too.`);
  return { baseUrl, ...(sign && signingRegion !== undefined && { sign: { region: signingRegion } }), ...rest };
}

async function main(): Promise<number> {
  const { baseUrl, sign, orders, yes, quick, junit } = readArguments();
  const confirmOrders = async (cost: string) => {
    process.stdout.write(`${cost}\n`);
    return yes || ask();
  };
  const report = await runConformance({ baseUrl, sign, quick, ...(orders && { confirmOrders }) });
  process.stdout.write(formatReport(report));
  if (junit !== undefined) await writeFile(junit, formatJunit(report));
  return report.passed ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  process.stderr.write(`${error instanceof Error ? error.message : error}${cause}\n`);
  process.exitCode = CANNOT_TELL;
}
