import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AssetType } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { takerFee } from '../../packages/client/amounts.ts';
import { createClient } from '../../packages/client/client.ts';
import type { PaperVenue } from '../../packages/paper-venue/venue.ts';
import { officialClient } from '../../tools/support/paper-client.ts';
import { PAPER_KEY } from '../../tools/support/paper-settings.ts';
import { AWS_VARIABLES } from '../../tools/support/sigv4.ts';
import { installClient } from '../support/page/builds.ts';
import { HAS_PYTHON, PYTHON_ENV } from '../support/python.ts';
import { startIamGateway, startTokenGateway, startTokenIssuer } from '../support/service/gateway.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const ROOT = join(import.meta.dirname, '../..');
const SERVICE_URL = 'http://127.0.0.1:8080';
const DEPLOYED_URL = 'https://abc123.execute-api.eu-west-1.amazonaws.com';
const run = promisify(execFile);

const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

interface Place {
  readonly file: string;
  /** With its number signs. */
  readonly heading: string;
  /** Of the fence. */
  readonly language: string;
  /** Chooses one of several examples under a heading. */
  readonly holds?: string;
}

/** The example of a document that stands there, as it is printed. */
async function printed({ file, heading, language, holds = '' }: Place): Promise<string> {
  const text = `\n${await readFile(join(ROOT, file), 'utf8')}`;
  const [, after = ''] = text.split(`\n${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const fences = [...section.matchAll(/```(\w+)\n(.*?)```/gs)];
  const found = fences.find(([, name, code = '']) => name === language && code.includes(holds));
  if (found?.[2] === undefined) throw new Error(`${file} has no such example under "${heading}".`);
  return found[2];
}

/** The same with another address in the place of the printed one. */
async function example(place: Place, url: string, printedUrl = SERVICE_URL): Promise<string> {
  const code = await printed(place);
  if (!code.includes(printedUrl)) throw new Error(`The example under "${place.heading}" does not use ${printedUrl}.`);
  return code.replaceAll(printedUrl, url);
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'readme-example-'));
  folders.push(path);
  return path;
}

/** A project that has the client installed. */
async function project(): Promise<string> {
  const path = await folder();
  await installClient(path);
  return path;
}

const SMALLEST_ORDER = { side: 'BUY', price: '0.01', original_size: '5', post_only: true };
if (!HAS_PYTHON) process.stderr.write('SKIPPED: the documents’ Python example: python3 is not installed.\n');

describe('the first screen of the README', () => {
  it('shows what its curl is answered', async () => {
    const { url } = await startPaperService();
    const place = { file: 'README.md', heading: '# Order Book Adapter' };
    const { stdout } = await run('sh', ['-euc', await example({ ...place, language: 'sh', holds: 'curl' }, url)]);
    // An ellipsis stands for digits left out, a new line is there for the page's width, and a hash is of its own order.
    const shown = (await printed({ ...place, language: 'json' })).replace(/\n */g, '');
    const pattern = shown
      .replace(/[{}[\]().]/g, '\\$&')
      .replace(/0x[\da-f]{4}…[\da-f]{4}/gi, '0x[\\da-fA-F]+')
      .replaceAll('…', '\\d+');
    expect(stdout.trimEnd()).toMatch(new RegExp(`^${pattern}$`));
  });
});

describe('the example', () => {
  it('for Node in the README of the client works', async () => {
    const { url, venue } = await startPaperService();
    const path = await project();
    const place = {
      file: 'packages/client/README.md',
      heading: '# Typed client of the Order Book Adapter',
      language: 'js',
    };
    await writeFile(join(path, 'example.mjs'), await example(place, url));
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: path });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toBe(`${venue.orders()[0]?.id} live\n`);
  });

  it('for curl works', async () => {
    const { url, venue } = await startPaperService();
    const place = { file: 'docs/clients.md', heading: '## curl', language: 'sh' };
    const { stdout } = await run('sh', ['-euc', await example(place, url)]);
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toContain('"bids":[');
    expect(stdout).toContain(`{"order_id":"${venue.orders()[0]?.id}","status":"live"`);
  });

  it.each([
    ['an EVM account', 'signMessage', '0x1563915e194D8CfBA1943570603F7606A3115508'],
    ['a Solana account', 'encodeBase58', 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew'],
  ])('for the signature of %s works', async (_name, holds, address) => {
    const { url, venue } = await startPaperService({ SERVICE_CLIENT_VERIFICATION: 'required' });
    const section = { file: 'docs/clients.md', heading: '## Signed orders' };
    const cwd = await folder();
    await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    await writeFile(join(cwd, 'sign.mjs'), await printed({ ...section, language: 'js', holds }));
    const pkcs8 = Buffer.from(`302e020100300506032b657004220420${'22'.repeat(32)}`, 'hex').toString('base64');
    await writeFile(join(cwd, 'key.pem'), `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`);
    const keys = { ADDRESS: address, CLIENT_KEY: `0x${'22'.repeat(32)}`, CLIENT_KEY_FILE: 'key.pem' };
    const script = await example({ ...section, language: 'sh' }, url);
    const { stdout } = await run('sh', ['-euc', script], { cwd, env: { ...process.env, ...keys } });
    expect(venue.orders()).toMatchObject([{ ...SMALLEST_ORDER, post_only: false }]);
    expect(stdout).toContain(`{"order_id":"${venue.orders()[0]?.id}","status":"live"`);
  });

  (HAS_PYTHON ? it : it.skip)('for Python works', async () => {
    const { url, venue } = await startPaperService();
    const path = join(await folder(), 'example.py');
    await writeFile(path, await example({ file: 'docs/clients.md', heading: '## Python', language: 'python' }, url));
    const { stdout } = await run('python3', [path], { env: PYTHON_ENV });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toBe(`${venue.orders()[0]?.id} live\n`);
  });

  it('for curl with AWS credentials works', async () => {
    const { url, venue } = await startPaperService();
    const gateway = await startIamGateway(url);
    const place = { file: 'docs/clients.md', heading: '## Signed with AWS credentials', language: 'sh' };
    const script = await example(place, gateway.url, DEPLOYED_URL);
    const ask = (variables: object) => run('sh', ['-euc', script], { env: { ...process.env, ...variables } });
    expect((await ask({ ...AWS_VARIABLES, AWS_SESSION_TOKEN: 'another' })).stdout).toBe('{"message":"Forbidden"}');
    expect((await ask(AWS_VARIABLES)).stdout).toContain('"status":"live"');
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
  });

  it('for an app with the token of a login and a wallet works', async () => {
    const issuer = await startTokenIssuer();
    const venues: PaperVenue[] = [];
    const gateway = await startTokenGateway(issuer, async (authority) => {
      const verified = { SERVICE_CLIENT_VERIFICATION: 'required', SERVICE_PUBLIC_AUTHORITY: authority };
      const service = await startPaperService(verified);
      venues.push(service.venue);
      return service;
    });
    const cwd = await folder();
    await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    const place = { file: 'docs/clients.md', heading: '## With the token of a login', language: 'js' };
    await writeFile(join(cwd, 'example.mjs'), await example(place, gateway.url, DEPLOYED_URL));
    const ask = async (token: string) => {
      const env = { ...process.env, CLIENT_KEY: `0x${'22'.repeat(32)}`, LOGIN_TOKEN: token };
      return (await run(process.execPath, ['example.mjs'], { cwd, env })).stdout;
    };
    const login = await (await fetch(`${issuer.url}/token`, { method: 'POST' })).json();
    const { access_token: token } = z.object({ access_token: z.string() }).parse(login);
    expect(await ask(`${token.slice(0, -4)}AAAA`)).toBe('401 {"message":"Unauthorized"}\n');
    expect(await ask(token)).toMatch(/^201 \{"order_id":"0x/);
    expect(venues.flatMap((venue) => venue.orders())).toMatchObject([SMALLEST_ORDER]);
  });

  it('for the typed client with AWS credentials works', async () => {
    const { url, venue } = await startPaperService();
    const gateway = await startIamGateway(url);
    const cwd = await project();
    for (const scope of ['@aws-sdk', '@smithy'])
      await symlink(join(ROOT, 'node_modules', scope), join(cwd, 'node_modules', scope));
    const place = { file: 'packages/client/README.md', heading: '## Signed with AWS credentials', language: 'js' };
    await writeFile(join(cwd, 'example.mjs'), await example(place, gateway.url, DEPLOYED_URL));
    const env = { ...process.env, ...AWS_VARIABLES };
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd, env });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toContain(`order_id: '${venue.orders()[0]?.id}'`);
  });

  it('for prices and fees in the README of the client prints what it says', async () => {
    const { url } = await startPaperService();
    const path = await project();
    const place = { file: 'packages/client/README.md', heading: '## Prices and fees', language: 'js' };
    await writeFile(join(path, 'example.mjs'), await example(place, url));
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: path });
    expect(await printed(place)).toContain(`// on paper: ${stdout}`);
  });

  it('for watching a book in the README of the client prints its best prices', async () => {
    const { url } = await startPaperService();
    const path = await project();
    const place = { file: 'packages/client/README.md', heading: '## Watching a book', language: 'js' };
    await writeFile(join(path, 'example.mjs'), (await example(place, url)).replace('5_000', '500'));
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: path });
    expect(stdout).toBe('0.51 0.53\n');
  });

  // Stand-ins for what wallets put into a page.
  it.each([
    [
      'MetaMask',
      'eth_requestAccounts',
      `import { Wallet } from 'ethers';
      const account = new Wallet('0x${'22'.repeat(32)}');
      const ethereum = {
        request: async ({ method, params }) =>
          method === 'eth_requestAccounts' ? [account.address] : account.signMessage(params[0]),
      };`,
    ],
    [
      'Phantom',
      'solana.connect()',
      `import { createPrivateKey, sign } from 'node:crypto';
      const der = Buffer.from('302e020100300506032b657004220420${'22'.repeat(32)}', 'hex');
      const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      const solana = {
        connect: async () => ({ publicKey: 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew' }),
        signMessage: async (bytes) => ({ signature: new Uint8Array(sign(null, bytes, key)) }),
      };`,
    ],
  ])('for the wallet %s works', async (_name, holds, wallet) => {
    const { url, venue } = await startPaperService({ SERVICE_CLIENT_VERIFICATION: 'required' });
    const path = await project();
    await symlink(join(ROOT, 'node_modules/ethers'), join(path, 'node_modules/ethers'));
    const place = { file: 'packages/client/README.md', heading: '## With a wallet', language: 'js', holds };
    const script = `import { createClient } from 'order-book-adapter-client';
      ${wallet}
      const baseUrl = '${url}';
      ${await printed(place)}
      const { items } = await client.markets({ limit: 1 });
      const { token_id } = items[0].outcomes[0];
      await client.placeOrder({ token_id, side: 'buy', price: '0.01', size: '5', post_only: true });`;
    await writeFile(join(path, 'example.mjs'), script);
    await run(process.execPath, ['example.mjs'], { cwd: path });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
  });

  it('for fees costs what it says', async () => {
    const { url, venue, venueUrl } = await startPaperService();
    const prose = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
    const [, size = '', price = '', cost, fee] =
      /buying (\S+) shares at (\S+) costs (\S+) \+ (\S+) pUSD/.exec(prose) ?? [];
    const adapter = createClient({ baseUrl: url });
    const [market] = (await adapter.markets({ limit: 1 })).items;
    const order = { token_id: market?.outcomes[0]?.token_id ?? '', side: 'buy', price, size } as const;
    const placed = await adapter.placeOrder(order);
    expect([placed.filled_value, market?.fees && takerFee(order, market.fees)]).toStrictEqual([cost, fee]);
    expect(venue.orders()).toMatchObject([{ status: 'MATCHED', size_matched: '100', price: '0.53' }]);
    const { client } = await officialClient({ url: venueUrl }, { wallet: new Wallet(PAPER_KEY) });
    const { balance } = await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    expect(balance).toBe('946003600');
  });
});
