import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { HealthCheck, HealthCheckType } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';

/** Adds a check by Route 53, which asks for /health from outside. Its metric is kept in another region: see the alarms. */
export function addHealthCheck(scope: Construct, host: string): void {
  new HealthCheck(scope, 'HealthCheck', { type: HealthCheckType.HTTPS, fqdn: host, resourcePath: '/health' });
}

/** Notifies the topic when the account has spent most of a month's budget, and when it will spend more than all of it. */
export function addBudget(scope: Construct, usd: number, topicArn: string): void {
  const notify = (notificationType: string, threshold: number) => ({
    notification: { notificationType, threshold, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'SNS', address: topicArn }],
  });
  new CfnBudget(scope, 'Budget', {
    // Without a name, which must be unique: another topic creates a new budget before this one is deleted.
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
  });
}
