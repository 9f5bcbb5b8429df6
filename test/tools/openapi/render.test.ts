import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { describeInChromium, openPage } from '../../support/page/chromium.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HAS_RENDERER = existsSync(join(ROOT, 'tools/openapi/render/node_modules'));
if (!HAS_RENDERER) process.stderr.write('SKIPPED: the rendered document: `npm run docs` installs its renderer.\n');

describeInChromium('the rendered document', () => {
  (HAS_RENDERER ? it : it.skip)('shows every operation, without a network and without a complaint', async () => {
    await promisify(execFile)(process.execPath, ['tools/openapi/render/main.ts'], { cwd: ROOT });
    const page = await openPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => requests.push(new URL(request.url()).protocol));
    await page.goto(pathToFileURL(join(ROOT, 'docs/api.html')).href);
    await page.waitForSelector('h2:has-text("Place a limit order")');
    const text = await page.textContent('main');
    for (const path of ['/health', '/v1/markets', '/v1/book/{token_id}', '/v1/orders']) expect(text).toContain(path);
    expect(text).toContain('outcome_unknown');
    expect(new Set(requests)).toStrictEqual(new Set(['file:', 'blob:']));
    expect(complaints).toStrictEqual([]);
    await page.close();
  });
});
