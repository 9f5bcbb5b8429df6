import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { SettingError } from './context.ts';
import { ServiceStack } from './service-stack.ts';
import { readSettings } from './settings.ts';

/** The AWS configuration of the machine as the CDK found it; none of it is needed for a read-only synth. */
interface Target {
  readonly account: string | undefined;
  readonly region: string | undefined;
}

/** Adds the service to the app; throws `SettingError` where the context does not make sense. */
export function addService(app: App, assets: string, target: Target): ServiceStack {
  const settings = readSettings(app.node.getAllContext(), target.region);
  const stack = new ServiceStack(app, 'Service', {
    stackName: settings.stackName,
    description: 'A small HTTP/JSON service between any HTTP client and the Polymarket order book',
    env: {
      ...(target.account !== undefined && { account: target.account }),
      ...(settings.region !== undefined && { region: settings.region }),
    },
    settings,
    assets,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return stack;
}

function main(): void {
  const app = new App();
  addService(app, join(import.meta.dirname, '..', 'build'), {
    account: process.env['CDK_DEFAULT_ACCOUNT'],
    region: process.env['CDK_DEFAULT_REGION'],
  });
  app.synth();
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
