import { ConfigError } from '../../shared/settings/formats.ts';
import {
  type Context,
  OPTIONS,
  readText,
  readValid,
  readVariables,
  refuseUnknown,
  requireSameRegion,
  type Target,
} from './context.ts';
import { NO_CAP, ORDER_SETTING_NAMES, type OrderSettings, readOrderSettings } from './order-settings.ts';

export interface Settings {
  readonly stackName: string;
  /** `undefined` leaves it to whoever deploys the template. */
  readonly region: string | undefined;
  /** ARN of the SNS topic that alarms go to. */
  readonly alarmTopic: string | undefined;
  /** Variables for every function, by the names of the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent where the service alone is asked for. */
  readonly orders: OrderSettings | undefined;
  /** Sentences about settings that have no effect, a large one, or perhaps not the one that was meant. */
  readonly warnings: readonly string[];
}

/** The settings that every function is told. */
const COMMON = OPTIONS.filter(({ functions }) => functions.includes('markets'));

/** The names of all settings. */
export const NAMES = [
  'placeOrder',
  ...ORDER_SETTING_NAMES,
  'region',
  'stackName',
  ...COMMON.map(({ option }) => option),
  'alarmTopic',
  'env',
];

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

const REGION = { valid: (text: string) => /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text), rule: 'an AWS region' };
const STACK_NAME = {
  // The names of functions are made of it, and have an end; so are those of the other stacks.
  valid: (text: string) => /^[A-Za-z][A-Za-z0-9-]{0,49}$/.test(text) && !/-(?:orders|order-store)$/.test(text),
  rule: 'a letter, then letters, digits and dashes, 50 at most, without -orders or -order-store at its end',
};
const TOPIC = {
  valid: (text: string) => /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/.test(text),
  rule: 'the ARN of a topic',
};

/** Reads the opt-in to orders. Anything but a clear yes is refused: its meaning would be a guess. */
function readPlaceOrder(context: Context): boolean {
  const text = readText(context, 'placeOrder');
  if (text === undefined) return false;
  if (text === 'true' || text === '1') return true;
  throw new ConfigError('placeOrder must be true or 1; leave it out to deploy the service without touching orders.');
}

function warningsOf(context: Context, placeOrder: boolean, alarmTopic: string | undefined): string[] {
  const ignored = placeOrder ? [] : ORDER_SETTING_NAMES.filter((name) => readText(context, name) !== undefined);
  const uncapped = placeOrder && readText(context, 'maxOrderNotional') === NO_CAP;
  const uncappedDay = placeOrder && readText(context, 'maxDailyNotional') === undefined;
  return [
    ...(ignored.length > 0
      ? [`${ignored.join(', ')}: not used without -c placeOrder=true; orders stay as they are.`]
      : []),
    ...(placeOrder && alarmTopic === undefined
      ? ['alarmTopic is not set: alarms about orders ring and nobody is told; give the ARN of an SNS topic.']
      : []),
    ...(uncapped ? ['maxOrderNotional=none: no order is too large for this deployment.'] : []),
    ...(uncappedDay
      ? ['maxDailyNotional is not set: nothing bounds what the orders of a day may cost; give a number, or none.']
      : []),
  ];
}

/**
 * Reads what the operator asks for; throws `ConfigError`. `found` is what the CDK found in the AWS configuration of the
 * machine.
 */
export function readSettings(context: Context, found: Target = {}): Settings {
  refuseUnknown(
    Object.keys(context).filter((name) => !OF_THE_CDK.test(name)),
    NAMES,
  );
  const placeOrder = readPlaceOrder(context);
  const region = readValid(context, 'region', REGION) ?? found.region;
  const alarmTopic = readValid(context, 'alarmTopic', TOPIC);
  const orders = placeOrder ? readOrderSettings(context, { ...found, region }) : undefined;
  if (alarmTopic !== undefined) requireSameRegion('alarmTopic', 'a topic', alarmTopic, { region });
  return {
    stackName: readValid(context, 'stackName', STACK_NAME) ?? 'order-book-adapter',
    region,
    alarmTopic,
    environment: readVariables(context, COMMON),
    orders,
    warnings: [...warningsOf(context, placeOrder, alarmTopic), orders?.accountWarning ?? []].flat(),
  };
}
