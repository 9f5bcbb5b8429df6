import { DOCTOR_MS } from '../../shared/limits.ts';
import { LOOPBACK } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { openOperatorVenue } from '../../shared/venue/polymarket/operator-venue.ts';
import { flag, option, type Values } from '../command-line.ts';
import { checkCredentials, checkFunds, writeCredentials } from './account-checks.ts';
import { type Facts, need, type Setup } from './facts.ts';
import { type Check, type Line, makeCheck } from './run.ts';
import { checkConfig, checkKey, checkRuntime } from './setup-checks.ts';
import { checkReads, checkRegion } from './venue-checks.ts';

/** The options of a run. */
export const OPTIONS = {
  json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
  refresh: flag('also have the venue read balance and allowances from the chain again'),
  'print-credentials': option('FILE', 'write the API credentials to a new file, in the members of the secret'),
  stack: option('NAME', 'check a deployment: its wallet key, secret, funder and table, by the outputs of its stack'),
  region: option('REGION', 'of the stack, where it is not that of the environment'),
  settings: option('FILE', "read FILE instead of .env in the project's folder"),
} as const;

/** The values of the options. */
export type DoctorOptions = Values<typeof OPTIONS>;

const CLOB = 'the CLOB (SERVICE_CLOB_URL)';
const SITE_URL = 'https://polymarket.com';

const CONFIG = { id: 'config', asks: 'the deployment' };

/** Lists the checks after that of the settings: the rows run side by side, the checks of a row in their order. */
function checksOf({ 'print-credentials': file, refresh }: DoctorOptions): readonly (readonly Check[])[] {
  const write: Check['make'] = (facts, call) => writeCredentials(file ?? '', facts, call);
  return [
    [
      { id: 'key', asks: 'the wallet key', make: checkKey },
      { id: 'credentials', asks: CLOB, make: checkCredentials },
      ...(file === undefined ? [] : [{ id: 'credentials_file', asks: CLOB, make: write }]),
      { id: 'funds', asks: CLOB, make: (facts, call) => checkFunds(refresh, facts, call) },
    ],
    [{ id: 'runtime', asks: 'the store of orders', make: checkRuntime }],
    [{ id: 'region', asks: 'the website', optional: true, make: checkRegion }],
    [{ id: 'reads', asks: 'the venue', make: checkReads }],
  ];
}

function factsOf(setup: Setup): Facts {
  const { clobUrl } = setup.config;
  // A venue on this machine is a paper venue, which also has the path of the website.
  const siteUrl = LOOPBACK.test(new URL(clobUrl).hostname) ? clobUrl : SITE_URL;
  return { setup, siteUrl, venue: openOperatorVenue(setup.config) };
}

/** Makes all checks within `limitMs`, and yields their lines in the order of the list. */
export async function* examine(
  options: DoctorOptions,
  env: Environment,
  limitMs = DOCTOR_MS,
): AsyncGenerator<Line, void> {
  const deadline = performance.now() + limitMs;
  let facts: Facts | undefined;
  const found = (setup: Setup) => {
    facts = factsOf(setup);
  };
  yield await makeCheck(CONFIG, deadline, () => checkConfig(options, env, found));
  const inOrder = async (checks: readonly Check[]) => {
    const lines: Line[] = [];
    for (const check of checks) {
      lines.push(await makeCheck(check, deadline, (call) => check.make(need(facts, CONFIG.id), call)));
    }
    return lines;
  };
  for (const lines of checksOf(options).map(inOrder)) yield* await lines;
}
