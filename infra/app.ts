import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { SettingError } from './context.ts';
import { addService } from './service-app.ts';

try {
  const app = new App();
  addService(app, join(import.meta.dirname, '..', 'build'), {
    account: process.env['CDK_DEFAULT_ACCOUNT'],
    region: process.env['CDK_DEFAULT_REGION'],
  });
  app.synth();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
