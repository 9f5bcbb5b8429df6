import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { z } from 'zod';
import { ROUTES } from '../../functions/routes.ts';
import { addStack } from '../../infra/app.ts';
import { buildAssets } from '../../infra/build/build.ts';
import type { ServiceStack } from '../../infra/stack.ts';

/** Metadata that the command line asks for too: which construct a resource comes from, and which folder its code. */
const METADATA = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true } as const;

const ROOT = join(import.meta.dirname, '..', '..');

/** The flags of the CDK that the command line reads there: templates differ with them. */
const { context: FLAGS } = z
  .object({ context: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')));

/**
 * An app with the service, as `cdk synth -c name=value` makes it on a machine without AWS configuration, but without the
 * CDK's own rules: to load them takes longer than all the rest. The test of findings adds them. Files of settings are
 * looked for beside the code, where there are none: an operator's own in deploy/ must not stop a test.
 */
export function createServiceApp(
  assets: string,
  context: Readonly<Record<string, unknown>> = {},
  outdir?: string,
): { readonly app: App; readonly service: ServiceStack } {
  const app = new App({
    context: { ...FLAGS, ...METADATA, ...context },
    builtinCloudFormationValidation: false,
    ...(outdir !== undefined && { outdir }),
  });
  return { app, service: addStack(app, { assets, environments: assets }, {}) };
}

/** Runs a synthesis without the CDK's report on the terminal: a test reads it in the templates or the assembly. */
export function quietly<T>(synth: () => T): T {
  const { error: print } = console;
  console.error = () => undefined;
  try {
    return synth();
  } finally {
    console.error = print;
  }
}

/** Builds the assets into `folder` and synthesizes; gives the folder of the cloud assembly. */
export async function synthesize(folder: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const assets = join(folder, 'build');
  await buildAssets(assets);
  return createServiceApp(assets, context, join(folder, 'cdk.out')).app.synth().directory;
}

/** Writes a folder that looks like the build's, for tests that do not depend on what the code does. */
export async function writeEmptyAssets(folder: string): Promise<void> {
  for (const path of [
    ...[...Object.keys(ROUTES), 'events'].map((name) => join('functions', name)),
    join('layer', 'nodejs'),
  ]) {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, 'index.mjs'), '');
  }
}
