import { existsSync } from 'node:fs';
import { afterAll, describe } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';

const PATH = '/usr/bin/chromium';

/** Without them the browser looks for its maker's hosts at every start, and cannot run as root. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const isInstalled = existsSync(PATH);

let running: Promise<Browser> | undefined;

afterAll(async () => {
  await (await running)?.close();
  running = undefined;
});

/** Opens a page in a fresh profile of Debian's Chromium; the browser is closed after the file's tests. */
export async function openPage(): Promise<Page> {
  running ??= chromium.launch({ executablePath: PATH, args: FLAGS });
  return (await running).newPage();
}

/** As `describe` where Chromium is installed; elsewhere the tests are skipped, and it says so. */
export function describeInChromium(name: string, tests: () => void): void {
  if (isInstalled) {
    describe(name, tests);
    return;
  }
  // CI installs it: there a skipped test would be one that nobody misses.
  if (process.env['REQUIRE_CHROMIUM'] === '1') throw new Error(`${PATH} is not installed.`);
  process.stderr.write(`SKIPPED: ${name}: ${PATH} is not installed (on Debian: apt-get install chromium).\n`);
  describe.skip(name, tests);
}
