import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { PaperVenue } from '../../packages/paper-venue/venue.ts';
import { AWS_VARIABLES } from '../../tools/support/sigv4.ts';
import { installClient } from '../support/page/builds.ts';
import { HAS_PYTHON, PYTHON_ENV } from '../support/python.ts';
import { startIamGateway, startTokenGateway, startTokenIssuer } from '../support/service/gateway.ts';
import { sharedPaperService, startPaperService } from '../support/service/paper-service.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The addresses that examples print: of a service on this machine, and of a deployment. */
const PRINTED_URL = /http:\/\/127\.0\.0\.1:8080|https:\/\/abc123\.execute-api\.eu-west-1\.amazonaws\.com/g;
const PROGRAMS = { sh: ['sh', '-eu'], js: [process.execPath], python: ['python3'] } as const;
const SMALLEST_ORDER = { side: 'BUY', price: '0.01', original_size: '5' };
const CLIENT_KEY = `0x${'22'.repeat(32)}`;
const PKCS8 = Buffer.from(`302e020100300506032b657004220420${'22'.repeat(32)}`, 'hex').toString('base64');
const run = promisify(execFile);

/** A project that has installed the client, and beside it what the examples import. */
let project = '';
const plain = sharedPaperService();

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'readme-example-'));
  await installClient(project);
  for (const name of ['ethers', '@aws-sdk', '@smithy'])
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  await writeFile(join(project, 'key.pem'), `-----BEGIN PRIVATE KEY-----\n${PKCS8}\n-----END PRIVATE KEY-----\n`);
});
afterAll(() => rm(project, { recursive: true, force: true }));

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

/** Runs an example with another address in the place of the printed one; returns what it prints. */
async function perform(place: Place & { readonly language: keyof typeof PROGRAMS }, url: string, env: object) {
  const code = await printed(place);
  expect(code).toMatch(PRINTED_URL);
  await writeFile(join(project, 'example.mjs'), code.replaceAll(PRINTED_URL, url));
  const signer = { ...SIGNED, language: 'js', holds: 'CLIENT_KEY_FILE' in env ? 'encodeBase58' : 'signMessage' };
  if (code.includes('sign.mjs')) await writeFile(join(project, 'sign.mjs'), await printed(signer));
  const [program, ...args] = PROGRAMS[place.language];
  const options = { cwd: project, env: { ...process.env, ...PYTHON_ENV, ...env } };
  return (await run(program, [...args, 'example.mjs'], options)).stdout;
}

if (!HAS_PYTHON) process.stderr.write('SKIPPED: the documents’ Python example: python3 is not installed.\n');

describe('the first screen of the README', () => {
  it('shows what its curl is answered', async () => {
    const place = { file: 'README.md', heading: '# Order Book Adapter' };
    const stdout = await perform({ ...place, language: 'sh', holds: 'curl' }, plain().url, {});
    // An ellipsis stands for digits left out, a new line is there for the page's width, and a hash is of its own order.
    const shown = (await printed({ ...place, language: 'json' })).replace(/\n */g, '');
    const pattern = shown
      .replace(/[{}[\]().]/g, '\\$&')
      .replace(/0x[\da-f]{4}…[\da-f]{4}/gi, '0x[\\da-fA-F]+')
      .replaceAll('…', '\\d+');
    expect(stdout.trimEnd()).toMatch(new RegExp(`^${pattern}$`));
  });
});

const CLIENTS = 'docs/clients.md';
const SIGNED = { file: CLIENTS, heading: '## Signed orders', language: 'sh' } as const;
const BY_AWS = '## Signed with AWS credentials';
const EVM_CLIENT = { ADDRESS: '0x1563915e194D8CfBA1943570603F7606A3115508', CLIENT_KEY };

describe('the example', () => {
  it.each([
    ['curl', { file: CLIENTS, heading: '## curl', language: 'sh' }, {}],
    ['the signature of an EVM account', SIGNED, EVM_CLIENT],
    [
      'the signature of a Solana account',
      SIGNED,
      { ADDRESS: 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew', CLIENT_KEY_FILE: 'key.pem' },
    ],
    ...(HAS_PYTHON ? [['Python', { file: CLIENTS, heading: '## Python', language: 'python' }, {}] as const] : []),
    [
      'curl with AWS credentials and the signature of an EVM account',
      { file: CLIENTS, heading: BY_AWS, language: 'sh' },
      { ...EVM_CLIENT, ...AWS_VARIABLES },
    ],
    [
      'the typed client with AWS credentials',
      { file: 'packages/client/README.md', heading: BY_AWS, language: 'js' },
      AWS_VARIABLES,
    ],
  ] as const)('for %s places one order, and prints it', async (_name, place, env) => {
    // Both examples of a signature have one key.
    const verified = () => startPaperService({ SERVICE_CLIENT_VERIFICATION: 'required' });
    const { url, venue } = 'ADDRESS' in env ? await verified() : plain();
    const earlier = venue.orders().length;
    const reached = place.heading === BY_AWS ? (await startIamGateway(url)).url : url;
    const stdout = await perform(place, reached, env);
    const placed = venue.orders().slice(earlier);
    expect(placed).toMatchObject([{ ...SMALLEST_ORDER, post_only: place !== SIGNED }]);
    expect(stdout).toContain(placed[0]?.id);
    expect(stdout).toContain('live');
  });

  it('for an app with the token of a login and a wallet places one order', async () => {
    const issuer = await startTokenIssuer();
    const venues: PaperVenue[] = [];
    const gateway = await startTokenGateway(issuer, async (authority) => {
      const settings = { SERVICE_CLIENT_VERIFICATION: 'required', SERVICE_PUBLIC_AUTHORITY: authority };
      const service = await startPaperService(settings);
      venues.push(service.venue);
      return service;
    });
    const place = { file: CLIENTS, heading: '## With the token of a login', language: 'js' } as const;
    const login = await (await fetch(`${issuer.url}/token`, { method: 'POST' })).json();
    const { access_token: LOGIN_TOKEN } = z.object({ access_token: z.string() }).parse(login);
    expect(await perform(place, gateway.url, { CLIENT_KEY, LOGIN_TOKEN })).toContain("status: 'live'");
    expect(venues.flatMap((venue) => venue.orders())).toMatchObject([SMALLEST_ORDER]);
  });
});
