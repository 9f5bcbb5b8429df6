import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** Creates a role that may move one alias only: AWS's managed policy would allow every alias of the account. */
function createRole(scope: Construct, alias: Alias): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  const { functionArn } = alias.lambda;
  const actions = ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'];
  role.addToPolicy(new PolicyStatement({ actions, resources: [functionArn, `${functionArn}:*`] }));
  // Alarms are described all at once; their states are no secret.
  role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
  return role;
}

/**
 * Lets CodeDeploy move the alias when a deployment brings another version: as a canary, which an alarm stops, or all at
 * once. The alias refers to the group, so a changed setting already applies to the deployment that changes it. The first
 * version needs no rollout.
 */
export function addRollout(parent: Construct, alias: Alias, alarms: readonly IAlarm[], isCanary: boolean): void {
  const scope = new Construct(parent, 'Rollout');
  const role = createRole(scope, alias);
  const group = new LambdaDeploymentGroup(scope, 'Group', {
    alias,
    role: role.withoutPolicyUpdates(),
    deploymentConfig: isCanary ? LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES : LambdaDeploymentConfig.ALL_AT_ONCE,
    alarms: isCanary ? [...alarms] : [],
    autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: isCanary },
  });
  // The group's reference to the role already implies a dependency on the role itself.
  group.node.addDependency(role.node.findChild('DefaultPolicy'));
}
