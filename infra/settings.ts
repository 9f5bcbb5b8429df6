import { type Context, OPTIONS, readText, readValid, readVariables, refuseUnknown, SettingError } from './context.ts';
import { ORDER_SETTING_NAMES, type OrderSettings, readOrderSettings } from './order-settings.ts';

export interface Settings {
  readonly stackName: string;
  /** `undefined` leaves it to whoever deploys the template. */
  readonly region: string | undefined;
  /** ARN of the SNS topic that alarms go to. */
  readonly alarmTopic: string | undefined;
  /** Variables for every function, by the names of the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent in a read-only deployment. */
  readonly orders: OrderSettings | undefined;
  /** Sentences about settings that have no effect, or perhaps not the one that was meant. */
  readonly warnings: readonly string[];
}

/** The settings that every function is told. */
const COMMON = OPTIONS.filter(({ functions }) => functions.includes('markets'));

const NAMES = [
  'placeOrder',
  ...ORDER_SETTING_NAMES,
  'region',
  'stackName',
  ...COMMON.map(({ option }) => option),
  'alarmTopic',
];

/** Reads the opt-in to orders. Anything but a clear yes is refused: its meaning would be a guess. */
function readPlaceOrder(context: Context): boolean {
  const text = readText(context, 'placeOrder');
  if (text === undefined) return false;
  if (text === 'true' || text === '1') return true;
  throw new SettingError('placeOrder must be true or 1; leave it out for a read-only deployment.');
}

function uselessSettings(context: Context): string[] {
  const useless = ORDER_SETTING_NAMES.filter((name) => readText(context, name) !== undefined);
  if (useless.length === 0) return [];
  return [`${useless.join(', ')}: without -c placeOrder=true the deployment is read-only and does not use this.`];
}

/**
 * Reads what the operator asks for; throws `SettingError`. `defaultRegion` is the one that the CDK found in the AWS
 * configuration of the machine.
 */
export function readSettings(context: Context, defaultRegion: string | undefined): Settings {
  refuseUnknown(context, NAMES);
  const regionRule = { valid: (text: string) => /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text), rule: 'an AWS region' };
  const nameRule = {
    valid: (text: string) => /^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(text),
    rule: 'letters, digits and dashes',
  };
  const topicRule = {
    valid: (text: string) => /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/.test(text),
    rule: 'the ARN of a topic',
  };
  const region = readValid(context, 'region', regionRule) ?? defaultRegion;
  const orders = readPlaceOrder(context) ? readOrderSettings(context, region) : undefined;
  return {
    stackName: readValid(context, 'stackName', nameRule) ?? 'order-book-adapter',
    region,
    alarmTopic: readValid(context, 'alarmTopic', topicRule),
    environment: readVariables(context, COMMON),
    orders,
    warnings: orders ? [orders.accountWarning ?? []].flat() : uselessSettings(context),
  };
}
