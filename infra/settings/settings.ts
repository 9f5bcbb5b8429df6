import { checkDeployedVariables } from '../../functions/orders/deployed-variables.ts';
import { nearestOf } from '../../shared/nearest.ts';
import { type Sentence, sentencesOf, throwProblems } from '../../shared/settings/formats.ts';
import { readTexts } from '../../shared/settings/read.ts';
import { DEPLOYED, inSettings, SETTINGS, type Table, variableOf } from '../../shared/settings/table.ts';
import type { Context } from './environment-file.ts';
import { type Asked, completeOrders, orderProblems } from './order-settings.ts';
import { CONTEXT } from './table.ts';

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

/** Returns a value as text: the command line gives texts, a file gives JSON. `undefined` for any other value. */
function textOf(value: unknown): string | undefined {
  // JSON.parse has changed the digits of a longer number: an audience would change.
  const isShort = typeof value === 'number' && Math.abs(value) < 1e15;
  if (typeof value === 'boolean' || isShort) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Region and account of a deployment, as far as synth can know them. */
export type Place = Readonly<Partial<Record<'region' | 'account', string | undefined>>>;

/** Returns what is wrong with the form of a setting: its name, its type, the region and the account of its ARN. */
function problemOfForm(name: string, value: unknown, { region, account }: Place): Sentence {
  if (!(name in CONTEXT)) {
    const { name: nearest, isNear } = nearestOf(name, Object.keys(CONTEXT));
    return `${name} is not a setting of a deployment: ${isNear ? `did you mean ${nearest}?` : 'see docs/settings.md.'}`;
  }
  // Usually an unset shell variable: without this check a cap or the verification would be off.
  if (value === '' || value === null) return `${name} is empty: leave it out, or give it a value.`;
  if (textOf(value) === undefined) return `${name} must be a text in quotes.`;
  const [, service, itsRegion = region, itsAccount = account] =
    /^arn:[^:]+:([^:]+):([^:]+):(\d+):/.exec(`${value}`) ?? [];
  if (region && itsRegion !== region) return `${name} must be in ${region}, where the functions run.`;
  const isForeign = account && itsAccount !== account;
  // Another account may hold the keys; the policy of a key then names this one.
  if (isForeign && service !== 'kms') return `${name} must be in the account of the stack.`;
  return /:1{12}:|^0x(?:1{40}|2{40})$/.test(`${value}`) && `${name} has the value of the example: set your own.`;
}

/** What Lambda takes as variables of a function, less those that the stack adds. */
const MAX_BYTES = 4_096 - 300;
const TOO_MANY_BYTES =
  'allowedClients and corsOrigins are too long: Lambda takes 4096 bytes as variables, some 80 clients.';

function problemsOf({ values, isGiven }: Asked): readonly Sentence[] {
  const usesTokens = values.orderAccess === 'jwt' || values.readAccess === 'jwt';
  return [
    !usesTokens &&
      (isGiven('jwtIssuer') || isGiven('jwtAudience') || isGiven('jwtScopes')) &&
      'jwtIssuer, jwtAudience and jwtScopes need orderAccess=jwt or readAccess=jwt.',
    usesTokens &&
      !(isGiven('jwtIssuer') && isGiven('jwtAudience')) &&
      'jwt needs jwtIssuer and jwtAudience, with the values in the tokens.',
    isGiven('fillsTopic') && values.placeOrder !== 'true' && 'fillsTopic needs placeOrder=true.',
    isGiven('domainName') !== isGiven('certificateArn') &&
      'domainName and certificateArn go together: give both, or none.',
  ];
}

/** An origin on another machine, whose pages come unencrypted. */
const OPEN_ORIGIN = /^http:\/\/(?!(?:localhost|127\.0\.0\.1)(?::|$))/;

/** Returns true for a host of the venue that is not the one of its other address. */
function isOfVenue(url: string, other: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && hostname.endsWith('.polymarket.com') && hostname !== new URL(other).hostname;
}

/** Returns sentences about settings of any deployment that are probably not meant. */
function warningsOf({ gammaUrl, clobUrl, corsOrigins, jwtAudience = [], fillsTopic, alarmTopic }: Asked['values']) {
  const { gammaUrl: gamma, clobUrl: clob } = SETTINGS.common;
  return sentencesOf([
    !isOfVenue(gammaUrl, clob.preset) && `gammaUrl is not the venue's, which is ${gamma.preset}.`,
    !isOfVenue(clobUrl, gamma.preset) &&
      `clobUrl is not the venue's, which is ${clob.preset}: it gets signed orders and API credentials.`,
    corsOrigins.some((origin) => OPEN_ORIGIN.test(origin)) &&
      'corsOrigins has an http: origin: anyone on its way can change the page.',
    jwtAudience.some((one) => /\s/.test(one)) &&
      'jwtAudience has a blank, which is part of a name: commas separate several.',
    fillsTopic !== undefined &&
      fillsTopic === alarmTopic &&
      'fillsTopic is alarmTopic: each event of an order is an alarm.',
  ]);
}

/**
 * Reads the settings of a deployment. Throws one `ConfigError` with a sentence for each that is missing or wrong.
 * `found`: region and account of the machine's AWS configuration.
 */
export function readSettings(given: Context, found: Place = {}) {
  const names = Object.keys(given).filter((name) => given[name] !== undefined && !OF_THE_CDK.test(name));
  const isDeclinedCap = (name: string) => name.includes('Notional') && given[name] === 'none';
  const said = names.filter((name) => !isDeclinedCap(name)).map((name) => [name, textOf(given[name])]);
  const texts: Readonly<Record<string, string>> = { clientVerification: 'required', ...Object.fromEntries(said) };
  const { values, problems } = readTexts(CONTEXT, texts, (name) => name);
  const isGiven = (name: string) => names.includes(name);
  const region = isGiven('region') ? values.region : found.region;
  const account = values.account ?? found.account;
  // A malformed flag counts as set, so that synth also reports mistakes in the settings of orders.
  const placesOrders = isGiven('placeOrder') && values.placeOrder !== 'false';
  const asked = { values, region, isGiven };
  const variablesOf = (table: Table): Readonly<Record<string, string>> => {
    const rows = Object.entries(texts).filter(([name]) => name in table);
    return Object.fromEntries(rows.map(([name, text]) => [variableOf(name), text]));
  };
  const orders = placesOrders ? completeOrders(asked, variablesOf(DEPLOYED)) : undefined;
  const sentences = [
    ...names.map((name) => problemOfForm(name, given[name], { region, account })),
    found.account !== undefined &&
      found.account !== account &&
      'account differs from the account of your AWS credentials: check AWS_PROFILE.',
    ...problems,
    ...(placesOrders ? orderProblems(asked) : []),
    ...problemsOf(asked),
    orders && Buffer.byteLength(Object.entries(orders.variables).flat().join('')) > MAX_BYTES && TOO_MANY_BYTES,
    ...(orders ? checkDeployedVariables(orders.variables).map(inSettings) : []),
  ];
  throwProblems([...new Set(sentences)]);
  const unused = names.filter((name) => name in SETTINGS.orders || name in SETTINGS.deployed);
  return {
    ...values,
    region,
    account,
    environment: variablesOf(SETTINGS.common),
    /** Absent for a read-only deployment. */
    orders,
    /** Sentences about settings with no effect, a large effect, or perhaps an unintended one. */
    warnings: [
      ...warningsOf(values),
      ...(orders?.warnings ??
        unused.map((name) => `${name} is not used without placeOrder=true: this deployment takes no orders.`)),
    ],
  };
}

export type Settings = ReturnType<typeof readSettings>;
