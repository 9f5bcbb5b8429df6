import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Adds outputs to the stack of a construct: operator, desk and doctor find the deployment by them. An absent one is left out. */
export function addOutputs(scope: Construct, outputs: Readonly<Record<string, string | undefined>>): void {
  for (const [id, value] of Object.entries(outputs)) {
    if (value !== undefined) new CfnOutput(Stack.of(scope), id, { value });
  }
}
