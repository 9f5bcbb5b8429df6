import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { CfnHealthCheck } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import type { ServiceMetrics } from '../constructs/service-metrics.ts';
import type { Alarms } from './alarms.ts';

/**
 * Has Route 53 ask for /health from outside twice a minute, and an alarm ring where health hears of nobody: an API that is
 * gone, a domain that leads nowhere, a region that is down. The check's own metric is kept in another region.
 */
export function addHealthCheck(scope: Construct, host: string, alarms: Alarms, metrics: ServiceMetrics): void {
  new CfnHealthCheck(scope, 'HealthCheck', {
    healthCheckConfig: {
      type: 'HTTPS',
      fullyQualifiedDomainName: host,
      resourcePath: '/health',
      enableSni: true,
      requestInterval: 30,
      failureThreshold: 3,
    },
  });
  alarms.add('NobodyAnswers', {
    metric: metrics.requests('health'),
    description: 'No request for /health has come for five minutes, although Route 53 sends one every few seconds.',
    threshold: 1,
    isSilence: true,
  });
}

/** Tells the topic when the account has spent most of a month's budget, and when it will spend more than all of it. */
export function addBudget(scope: Construct, name: string, usd: number, topicArn: string): void {
  const notifications = [
    { notificationType: 'ACTUAL', threshold: 80 },
    { notificationType: 'FORECASTED', threshold: 100 },
  ].map((notification) => ({
    notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'SNS', address: topicArn }],
  }));
  new CfnBudget(scope, 'Budget', {
    budget: { budgetName: name, budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: notifications,
  });
}
