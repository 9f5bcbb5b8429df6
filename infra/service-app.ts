import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ServiceStack } from './service-stack.ts';
import { readSettings } from './settings.ts';

/** What the CDK found in the AWS configuration of the machine; none of it is needed for a read-only synth. */
export interface Target {
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
