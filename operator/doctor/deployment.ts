import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import type { OperatorConfig } from '../account/access.ts';
import { awsErrorOf, type Finding, fail, ok, PERMISSIONS, skip, warn } from './check.ts';

type Stack = NonNullable<OperatorConfig['stack']>;

/** The states of a stack whose last deploy has succeeded or was rolled back. */
const FINISHED = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'];
const RIGHTS =
  "Key and table were tried with your AWS rights; a change of the function's own shows when it starts anew.";

export function checkStack({ mode, walletAddress }: OperatorConfig, { name, status }: Stack): Finding {
  if (!FINISHED.includes(status)) {
    return fail(
      `The stack ${name} is ${status}.`,
      'Wait for the deployment, or deploy again. The events of the stack say why.',
    );
  }
  const trades = mode === 'order-placing' ? `places orders with ${walletAddress}. ${RIGHTS}` : 'takes no orders.';
  return ok(`The stack ${name} is ${status}, and ${trades}`);
}

/** The time limits of GetTopicAttributes: to connect, of an attempt, and of all attempts. */
const TOPIC_MS = { connect: 2_000, attempt: 5_000, all: 8_000 } as const;

const OTHER_KEY =
  'Encrypt it with a key of your own whose policy lets cloudwatch.amazonaws.com use kms:Decrypt and kms:GenerateDataKey*, or not at all.';
const TRY_KEY =
  "Its key's policy has to let cloudwatch.amazonaws.com use kms:Decrypt and kms:GenerateDataKey*: try it with aws cloudwatch set-alarm-state.";

/** Judges whether the alarms of a stack reach anyone (https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html). */
export async function checkAlarmTopic({ outputs }: Stack, route: AwsRoute): Promise<Finding> {
  const TopicArn = outputs.get('AlarmTopic');
  if (TopicArn === undefined) return skip('The stack has no alarmTopic: its alarms notify nobody.');
  // Only here: it takes longer to load than the rest of a check.
  const { GetTopicAttributesCommand, SNSClient } = await import('@aws-sdk/client-sns');
  const client = new SNSClient(awsClientOptions(2, TOPIC_MS, route));
  const asked = client.send(new GetTopicAttributesCommand({ TopicArn }), {
    abortSignal: AbortSignal.timeout(TOPIC_MS.all),
  });
  try {
    const { KmsMasterKeyId: key, SubscriptionsConfirmed: confirmed } = (await asked).Attributes ?? {};
    if (confirmed === '0')
      return fail(`${TopicArn} has no confirmed subscription.`, 'Subscribe, and confirm the mail.');
    // Its policy names no service, and cannot be changed.
    if (key?.endsWith('alias/aws/sns')) return fail(`${TopicArn} is encrypted by ${key}: no alarm gets in.`, OTHER_KEY);
    if (key) return warn(`${TopicArn} is encrypted by ${key}.`, TRY_KEY);
    return ok(`${TopicArn} has ${confirmed} confirmed subscriptions.`);
  } catch (error) {
    return warn(`${TopicArn} cannot be read (${awsErrorOf(error)?.name ?? 'no answer'}).`, PERMISSIONS);
  }
}
