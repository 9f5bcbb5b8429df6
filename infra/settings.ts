import { type Context, readOneOf, readText, readValid, refuseUnknown, SettingError } from './context.ts';
import { ORDER_SETTING_NAMES, type OrderSettings, readOrderSettings } from './order-settings.ts';

export interface Settings {
  readonly stackName: string;
  /** `undefined` leaves it to whoever deploys the template. */
  readonly region: string | undefined;
  /** ARN of the SNS topic that alarms go to. */
  readonly alarmTopic: string | undefined;
  /** What every function is told, by the names of the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent in a read-only deployment. */
  readonly orders: OrderSettings | undefined;
  /** Sentences about settings that have no effect. */
  readonly warnings: readonly string[];
}

const NAMES = [
  'placeOrder',
  ...ORDER_SETTING_NAMES,
  'region',
  'stackName',
  'corsOrigins',
  'logLevel',
  'gammaUrl',
  'clobUrl',
  'alarmTopic',
] as const;

/** Whether orders are asked for. Anything but a clear yes is refused: nobody may be left to guess what it meant. */
function readPlaceOrder(context: Context): boolean {
  const text = readText(context, 'placeOrder');
  if (text === undefined) return false;
  if (text === 'true' || text === '1') return true;
  throw new SettingError('placeOrder must be true or 1; leave it out for a read-only deployment.');
}

// What passes here must also be what the functions start with: else every request to them would be a bare 500.

function isOrigin(text: string): boolean {
  return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}

function isUpstream(text: string): boolean {
  if (/[\s?#]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

function readEnvironment(context: Context): Readonly<Record<string, string>> {
  const upstream = { valid: isUpstream, rule: 'an http or https URL without user, query or fragment' };
  const origins = {
    valid: (text: string) => text.split(',').every((origin) => isOrigin(origin.trim())),
    rule: 'exact origins such as https://app.example, comma-separated',
  };
  const values = {
    SERVICE_CORS_ORIGINS: readValid(context, 'corsOrigins', origins),
    SERVICE_LOG_LEVEL: readOneOf(context, 'logLevel', ['debug', 'info', 'warn', 'error']),
    SERVICE_GAMMA_URL: readValid(context, 'gammaUrl', upstream),
    SERVICE_CLOB_URL: readValid(context, 'clobUrl', upstream),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
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
  const placeOrder = readPlaceOrder(context);
  const region = readValid(context, 'region', regionRule) ?? defaultRegion;
  return {
    stackName: readValid(context, 'stackName', nameRule) ?? 'order-book-adapter',
    region,
    alarmTopic: readValid(context, 'alarmTopic', topicRule),
    environment: readEnvironment(context),
    orders: placeOrder ? readOrderSettings(context, region) : undefined,
    warnings: placeOrder ? [] : uselessSettings(context),
  };
}
