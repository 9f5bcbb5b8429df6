import { describe, expect, it } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { ORDER_CONTEXT } from '../../tools/support/deployment.ts';
import { type Context, deployedApps } from '../support/deployed-apps.ts';

const { appOf, templateOf: templateWith } = deployedApps();
const templateOf = (context: Context) => templateWith({ ...ORDER_CONTEXT, ...context });

describe('fillsTopic', () => {
  it('adds one function on a schedule, with a role, a topic and an index of its own', () => {
    const template = templateOf({ fillsTopic: 'true' });
    template.resourceCountIs('AWS::Lambda::Function', 5);
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'order-book-adapter-fills',
      ReservedConcurrentExecutions: 1,
      Timeout: 55,
      Environment: {
        Variables: Match.objectLike({ FILLS_TOPIC: Match.anyValue(), SERVICE_ORDERS_TABLE: Match.anyValue() }),
      },
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    });
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 } },
    });
  });

  it('changes nothing where it is not set', () => {
    const [without, off] = [templateOf({}), templateOf({ fillsTopic: 'false' })];
    expect(off.toJSON()).toStrictEqual(without.toJSON());
    without.resourceCountIs('AWS::SNS::Topic', 0);
    expect(JSON.stringify(without.toJSON())).not.toContain('by-signing');
  });

  it.each([
    [{ fillsTopic: 'true', placeOrder: 'false' }, 'fillsTopic goes with placeOrder=true.'],
    [{ fillsTopic: 'true', ordersTable: 'restored' }, 'fillsTopic and ordersTable exclude each other'],
    [{ fillsTopic: 'yes' }, 'fillsTopic must be one of true, false.'],
  ])('stops synth in one sentence: %j', (context, sentence) => {
    expect(() => appOf({ ...ORDER_CONTEXT, ...context })).toThrow(sentence);
  });
});
