import { join } from 'node:path';
import { Annotations, App } from 'aws-cdk-lib';
import { ConfigError } from '../shared/settings/formats.ts';
import { withEnvironmentFile } from './settings/environment-file.ts';
import { type Place, readSettings } from './settings/settings.ts';
import { ServiceStack } from './stack.ts';

/** The folders of a deployment: the build's output, and its settings, a file per environment. */
export type Folders = Readonly<Record<'assets' | 'environments', string>>;

/**
 * Adds the stack to the app; throws `ConfigError` where the context does not make sense. `found`: region and account of
 * the machine's AWS configuration.
 */
export function addStack(app: App, { assets, environments }: Folders, found: Place): ServiceStack {
  const settings = readSettings(withEnvironmentFile(app.node.getAllContext(), environments), found);
  const { region, account } = settings;
  const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
  const stack = new ServiceStack(app, { env, assets, settings });
  for (const warning of settings.warnings) Annotations.of(stack).addWarningV2('order-book-adapter:setting', warning);
  return stack;
}

if (import.meta.main) {
  try {
    const root = join(import.meta.dirname, '..');
    const folders = { assets: join(root, 'build'), environments: join(root, 'deploy') };
    const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
    const app = new App();
    addStack(app, folders, { account, region });
    app.synth();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
