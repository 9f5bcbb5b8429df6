import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { OPTIONS } from '../../operator/doctor/doctor.ts';
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
  const headings = proseOf(file).matchAll(/^#+ (.+)$/gm);
  const slugs = [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(slugs);
}

interface Link {
  readonly from: string;
  readonly target: string;
}

/** The links of a document to this repository. */
function linksOf(from: string): readonly Link[] {
  const links = proseOf(from).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, target = '']) => ({ from, target })).filter(({ target }) => !/^[a-z]+:/.test(target));
}

function resolves({ from, target }: Link): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(file).has(anchor);
}

const options = z.record(z.string(), z.object({ alias: z.optional(z.union([z.string(), z.array(z.string())])) }));
const registry = z.object({
  globalOptions: options,
  commands: z.record(z.string(), z.object({ options: z.optional(options) })),
});

/** Returns the options of a command of the CDK from the CDK's own list: it only warns of an unknown one. */
function cdkOptions(command: string): ReadonlySet<string> {
  const { globalOptions, commands } = registry.parse(
    JSON.parse(read('node_modules/aws-cdk/lib/cli/cli-type-registry.json')),
  );
  const all = Object.entries({ ...globalOptions, ...commands[command]?.options });
  const names = all.flatMap(([name, { alias = [] }]) => [name, alias].flat());
  if (!(command in commands)) throw new Error(`The CDK has no command ${command}.`);
  return new Set(names.map((name) => (name.length === 1 ? `-${name}` : `--${name}`)));
}

/** Returns what the pattern's first group found in the documents, with the name of the document. */
function findInAll(pattern: RegExp): readonly { readonly file: string; readonly found: string }[] {
  return DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(pattern)].map((match) => ({ file, found: match.slice(1).find(Boolean) ?? '' })),
  );
}

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const links = DOCUMENTS.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(80);
    expect(links.filter((link) => !resolves(link))).toStrictEqual([]);
  });

  it('name files that exist, but for those that a reader makes', () => {
    const made = new Set(['NAME.json', 'client.js', 'console.json', 'dev.json', 'prod.json', 'sign.mjs']);
    const tracked = globSync('**/*.*', { cwd: ROOT, exclude: (path) => OTHERS.test(path) });
    const names = new Set([...tracked, ...globSync('.github/**/*.*', { cwd: ROOT })].map((path) => basename(path)));
    const named = findInAll(/`([\w./-]*\w\.(?:[cm]?[jt]s|json|ya?ml|md|service|conf))`/g);
    expect(named.length).toBeGreaterThan(40);
    const missing = named.filter(({ found }) => !made.has(basename(found)) && !names.has(basename(found)));
    expect(missing).toStrictEqual([]);
    const paths = findInAll(/`((?:test|shared|functions|infra|local|operator|packages|tools|deploy)\/[\w./-]+\w)`/g);
    const lost = paths.filter(({ found }) => !made.has(basename(found)) && !existsSync(join(ROOT, found)));
    expect(lost).toStrictEqual([]);
  });

  it('name settings and codes that exist', () => {
    // docs/settings.md is generated from the table.
    const variables = new Set(read('docs/settings.md').match(/`SERVICE_\w+`/g));
    const settings = findInAll(/\b(SERVICE_[A-Z_]*[A-Z])\b(?!_|…)/g);
    // A recipe adds the first one; the stack writes the second one.
    const others = new Set(['SERVICE_MIN_ORDER_NOTIONAL', 'SERVICE_WALLET_ADDRESS']);
    const unknown = settings.filter(({ found }) => !variables.has(`\`${found}\``) && !others.has(found));
    expect(unknown).toStrictEqual([]);
    const codes = findInAll(/\b[45]\d\d `([a-z_]+)`/g);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter(({ found }) => !(found in ERRORS))).toStrictEqual([]);
  });

  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = findInAll(/\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(start|test)\b)/g);
    expect(named.filter(({ found }) => !(found in scripts))).toStrictEqual([]);
  });

  it('call the doctor with options that it has', () => {
    const calls = findInAll(/\bnpm run (?:-s )?doctor -- ([^`#\n]+)/g);
    expect(calls.length).toBeGreaterThan(0);
    for (const { found } of calls) parseArgs({ args: found.trim().split(/ +/), options: OPTIONS });
  });

  it('call the CDK with commands and options that it has', () => {
    const used = [
      ...DOCUMENTS.map(read)
        .join('\n')
        .matchAll(/\bnpx cdk (\w+)([^\n`#>]*)/g),
    ];
    expect(used.length).toBeGreaterThan(0);
    const unknown = used.filter(([, command = '', rest = '']) =>
      rest.match(/(?<=\s)-[\w-]+/g)?.some((option) => !cdkOptions(command).has(option)),
    );
    expect(unknown.map(([text]) => text)).toStrictEqual([]);
    // It would run the app, which refuses to be a stack of a file without that file.
    for (const [text, command] of used) if (command === 'bootstrap') expect(text).toContain(' --app= ');
  });
});

describe('the manifest for Kubernetes', () => {
  it('runs two replicas on one table, with labels, ports and volumes that match and time to stop', async () => {
    const manifest = await readFile(join(ROOT, 'deploy/kubernetes.yaml'), 'utf8');
    const resources = parseAllDocuments(manifest, { strict: true }).map((each) => each.toJSON());
    expect(resources.map(({ kind }) => kind)).toStrictEqual(['Deployment', 'Service', 'NetworkPolicy']);
    const [{ spec }, service, policy] = resources;
    const { spec: running, metadata } = spec.template;
    const [adapter] = running.containers;
    expect(spec.replicas).toBe(2);
    for (const found of [spec.selector.matchLabels, service.spec.selector, policy.spec.podSelector.matchLabels]) {
      expect(found).toStrictEqual(metadata.labels);
    }
    const ports = [service.spec.ports[0].targetPort, policy.spec.ingress[0].ports[0].port];
    expect(ports).toStrictEqual([adapter.ports[0].name, adapter.ports[0].name]);
    expect(adapter.volumeMounts[0].name).toBe(running.volumes[0].name);
    expect(running.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_MS);
    const settings = ['--settings', `${adapter.volumeMounts[0].mountPath}/settings`];
    expect(adapter.args).toStrictEqual(settings);
    expect(adapter.readinessProbe).toStrictEqual(adapter.livenessProbe);
    const env = Object.fromEntries(adapter.env.map((each: { name: string; value: string }) => [each.name, each.value]));
    const { AWS_REGION: _region, ...ours } = env;
    const image = { SERVICE_HOST: '0.0.0.0', SERVICE_PORT: String(adapter.ports[0].containerPort) };
    const trading = { SERVICE_PRIVATE_KEY: '11'.repeat(32), SERVICE_PLACE_ORDER: '1', SERVICE_REMOTE_ORDERS: '1' };
    expect(parseLocalConfig({ ...image, ...ours, ...trading })).toMatchObject({
      store: 'dynamodb:orders',
      allowedHosts: [service.metadata.name],
      orders: { kind: 'on' },
    });
  });
});
