import { type Stack, Validations } from 'aws-cdk-lib';

export function acknowledgeFindings(stack: Stack): void {
  Validations.of(stack);
}
