import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { describeInChromium, openPage } from '../support/page/page.ts';

const ROOT = join(import.meta.dirname, '../..');

describeInChromium('the rendered document', () => {
  it('shows every operation, without a network and without a complaint', async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'docs'], { cwd: ROOT });
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
  });
});
