import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { OPTIONS } from '../../operator/doctor/doctor.ts';
import { receiverUrl } from '../../operator/follow/webhook.ts';
import { ERRORS } from '../../shared/errors.ts';
import { STOP_MS } from '../../shared/limits.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const OTHERS = /^(?:node_modules|build|.*\/(?:node_modules|build))$/;
const DOCUMENTS = globSync('**/*.md', { cwd: ROOT, exclude: (path) => OTHERS.test(path) }).sort();

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Leaves out code, in which a number sign or a bracket means something else. */
function proseOf(file: string): string {
  return read(file).replace(/^```.*?^```/gms, '');
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')));
}

/** The links of a document to this repository. */
function linksOf(from: string): readonly { readonly from: string; readonly target: string }[] {
  const links = [...proseOf(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ from, target }));
  return links.filter(({ target }) => !/^[a-z]+:/.test(target));
}

function resolves({ from, target }: ReturnType<typeof linksOf>[number]): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  return existsSync(join(ROOT, file)) && (anchor === undefined || anchorsOf(file).has(anchor));
}

const options = z.record(z.string(), z.object({ alias: z.optional(z.union([z.string(), z.array(z.string())])) }));
const registry = z.object({
  globalOptions: options,
  commands: z.record(z.string(), z.object({ options: z.optional(options) })),
});

/** Returns true for a command of the CDK with options from its own list: it only warns of an unknown one. */
function isOfCdk(text: string): boolean {
  const [command = ''] = text.split(' ');
  const list = registry.parse(JSON.parse(read('node_modules/aws-cdk/lib/cli/cli-type-registry.json')));
  const all = Object.entries({ ...list.globalOptions, ...list.commands[command]?.options });
  const names = all.flatMap(([name, { alias = [] }]) => [name, alias].flat());
  const known = names.map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
  const used = text.match(/(?<=\s)-[\w-]+/g) ?? [];
  // A bootstrap would run the app, which refuses to be a stack of a file without that file.
  const isSafe = command !== 'bootstrap' || text.includes(' --app= ');
  return command in list.commands && isSafe && used.every((option) => known.includes(option));
}

function isOfDoctor(text: string): boolean {
  return parseArgs({ args: text.trim().split(/ +/), options: OPTIONS }).positionals.length === 0;
}

/** Files that a reader makes. */
const MADE = new Set(['NAME.json', 'backend.ts', 'client.js', 'console.json', 'dev.json', 'prod.json', 'sign.mjs']);
const FILES = ['**/*.*', '.github/**/*.*'].flatMap((glob) =>
  globSync(glob, { cwd: ROOT, exclude: (path) => OTHERS.test(path) }),
);
const NAMES = new Set(FILES.map((path) => basename(path)));
// docs/settings.md is generated from the table. A recipe adds the second one; the stack writes the third one.
const SETTINGS = new Set(read('docs/settings.md').match(/(?<=`)SERVICE_\w+(?=`)/g));
for (const name of ['SERVICE_MIN_ORDER_NOTIONAL', 'SERVICE_WALLET_ADDRESS']) SETTINGS.add(name);
const { scripts: SCRIPTS } = JSON.parse(read('package.json'));

/** What the documents name: how it is found, how often at least, and what is known. */
const NAMED: readonly (readonly [what: string, pattern: RegExp, least: number, isKnown: (name: string) => boolean])[] =
  [
    ['files', /`([\w./-]*\w\.(?:[cm]?[jt]s|json|ya?ml|md|service|conf))`/g, 40, (path) => NAMES.has(basename(path))],
    [
      'paths',
      /`((?:test|shared|functions|infra|local|operator|packages|tools|deploy)\/[\w./-]+\w)`/g,
      ...([40, (path: string) => existsSync(join(ROOT, path))] as const),
    ],
    ['settings', /\b(SERVICE_[A-Z_]*[A-Z])\b(?!_|…)/g, 40, (name) => SETTINGS.has(name)],
    ['codes', /\b[45]\d\d `([a-z_]+)`/g, 20, (code) => code in ERRORS],
    ['npm scripts', /\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(start|test)\b)/g, 20, (name) => name in SCRIPTS],
    ['options of the doctor', /\bnpm run (?:-s )?doctor -- ([^`#\n]+)/g, 0, isOfDoctor],
    ['commands and options of the CDK', /\bnpx cdk (\w+[^\n`#>]*)/g, 0, isOfCdk],
  ];

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const links = DOCUMENTS.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(80);
    expect(links.filter((link) => !resolves(link))).toStrictEqual([]);
  });

  it.each(NAMED)('name %s that exist', (_what, pattern, least, isKnown) => {
    const named = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(pattern)].map(([, one, other = '']) => ({ file, name: one ?? other })),
    );
    expect(named.length).toBeGreaterThan(least);
    expect(named.filter(({ name }) => !MADE.has(basename(name)) && !isKnown(name))).toStrictEqual([]);
  });
});

describe('the compose file', () => {
  it('runs a follower beside the store of the service, which sends events to a neighbour', () => {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true });
    const { adapter, follower } = services;
    expect(follower.volumes).toStrictEqual(adapter.volumes);
    expect(follower.environment.SERVICE_STORE).toBe(adapter.environment.SERVICE_STORE);
    const [url, ...command] = follower.command.toReversed();
    expect(command).toStrictEqual(['--webhook', 'follow', 'orders']);
    expect(receiverUrl(url)).toBe('http://backend:3000/events');
  });
});

describe('the manifest for Kubernetes', () => {
  it('runs two replicas on one table, with labels, ports and volumes that match and time to stop', () => {
    const resources = parseAllDocuments(read('deploy/kubernetes.yaml'), { strict: true }).map((each) => each.toJSON());
    expect(resources.map(({ kind }) => kind)).toStrictEqual(['Deployment', 'Service', 'NetworkPolicy']);
    const [{ spec }, service, policy] = resources;
    const { spec: running, metadata } = spec.template;
    const [{ ports, volumeMounts, args, env, ...adapter }] = running.containers;
    const [port, [mount]] = [ports[0], volumeMounts];
    const selectors = [spec.selector.matchLabels, service.spec.selector, policy.spec.podSelector.matchLabels];
    expect(selectors).toStrictEqual(selectors.map(() => metadata.labels));
    const targets = [service.spec.ports[0].targetPort, policy.spec.ingress[0].ports[0].port];
    expect([spec.replicas, mount.name, ...targets]).toStrictEqual([2, running.volumes[0].name, port.name, port.name]);
    expect(running.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_MS);
    expect(args).toStrictEqual(['--settings', `${mount.mountPath}/settings`]);
    expect(adapter.readinessProbe).toStrictEqual(adapter.livenessProbe);
    const variables = Object.fromEntries(env.map((each: { name: string; value: string }) => [each.name, each.value]));
    const image = { AWS_REGION: '', SERVICE_HOST: '0.0.0.0', SERVICE_PORT: String(port.containerPort) };
    const trading = { SERVICE_PRIVATE_KEY: '11'.repeat(32), SERVICE_PLACE_ORDER: '1', SERVICE_REMOTE_ORDERS: '1' };
    expect(parseLocalConfig({ ...image, ...variables, ...trading })).toMatchObject({
      ...{ store: 'dynamodb:orders', allowedHosts: [service.metadata.name], mode: 'order-placing' },
    });
  });
});
