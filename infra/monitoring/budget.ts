import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Names } from '../constructs/names.ts';
import type { Settings } from '../settings/settings.ts';

/** Adds the budget of the account, which notifies once the month has cost it, and when AWS forecasts that it will. */
export function addBudget(scope: Construct, names: Names, { monthlyBudget, ticketTopic, alarmTopic }: Settings): void {
  const address = ticketTopic ?? alarmTopic;
  if (monthlyBudget === undefined || address === undefined) return;
  const kinds = ['ACTUAL', 'FORECASTED'] as const;
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: names.stack,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: kinds.map((notificationType) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'SNS', address }],
    })),
  });
}
