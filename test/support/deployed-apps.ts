import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { createServiceApp, quietly, writeEmptyAssets } from '../../tools/support/synthesize.ts';

/** The settings of a deployment. */
export type Context = Readonly<Record<string, unknown>>;

/** A file of settings that the apps have beside them. */
export const FILE = { name: 'filed', stackName: 'of-a-file' } as const;

/** Makes apps of deployments, of empty assets; one for all tests that ask for the same, also in another file of a group. */
export function deployedApps() {
  apps ??= createApps();
  return apps;
}

let apps: ReturnType<typeof createApps> | undefined;

function createApps() {
  let folder = '';
  const made = new Map<string, ReturnType<typeof createServiceApp>>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'template-'));
    await writeEmptyAssets(folder);
    await writeFile(join(folder, `${FILE.name}.json`), JSON.stringify({ stackName: FILE.stackName }));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function appOf(context: Context = {}): ReturnType<typeof createServiceApp> {
    const key = JSON.stringify(context);
    const app = made.get(key) ?? createServiceApp(folder, context);
    made.set(key, app);
    return app;
  }

  const templateOf = (context: Context = {}) => quietly(() => Template.fromStack(appOf(context).service));
  return { appOf, templateOf };
}

/** The properties of all resources of a type. */
export function propertiesOf(template: Template, type: string) {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}
