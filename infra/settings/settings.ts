import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../shared/node-error.ts';
import { ConfigError, refuse, type Sentence } from '../../shared/settings/formats.ts';
import { nearestOf, parseText, readTexts } from '../../shared/settings/read.ts';
import { CONTEXT, DEPLOYED, SETTINGS, type Table, variableOf } from '../../shared/settings/table.ts';
import { type Asked, completeOrders, orderProblems } from './order-settings.ts';

/** The values of `-c name=value`, of a file in `deploy/` and of cdk.json, by name. */
export type Context = Readonly<Record<string, unknown>>;

const FILE = z.looseObject({ stackName: z.string() });

/**
 * Adds the settings of `deploy/NAME.json` where `-c env=NAME` names it; the command line wins. Throws `ConfigError`, which
 * never quotes the file: a key may be in it.
 */
export function withEnvironmentFile(context: Context, folder: string): Context {
  if (context['env'] === undefined) return context;
  const env = parseText(`${context['env']}`, 'env', CONTEXT.env);
  try {
    // Two files without a name would overwrite each other's stack.
    return { ...FILE.parse(JSON.parse(readFileSync(join(folder, `${env}.json`), 'utf8'))), ...context };
  } catch (error) {
    const code = errorCode(error);
    const why = code ? `be readable (${code})` : 'be JSON: one object of settings and their values, with a stackName';
    throw new ConfigError(`deploy/${env}.json must ${why}.`);
  }
}

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

const ROWS: Table = CONTEXT;

/** Returns a value as text: the command line gives texts, a file gives JSON. `undefined` for any other value. */
function textOf(value: unknown): string | undefined {
  // JSON.parse has changed the digits of a longer number: an audience would become another one.
  const isShort = typeof value === 'number' && Math.abs(value) < 1e15;
  if (typeof value === 'boolean' || isShort) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns what is wrong with the form of a setting: its name, its type, the region of its ARN. */
function problemOfForm(name: string, value: unknown, region: string | undefined): Sentence {
  if (!(name in ROWS)) {
    return `${name} is not a setting of a deployment: did you mean ${nearestOf(name, Object.keys(ROWS)).name}?`;
  }
  // Usually an unset shell variable: without this check a cap or the verification would be off.
  if (value === '' || value === null) return `${name} is empty: leave it out, or give it a value.`;
  if (textOf(value) === undefined) return `${name} must be a text in quotes.`;
  const [, itsRegion = region] = /^arn:[^:]+:[^:]+:([^:]+):/.exec(`${value}`) ?? [];
  if (region && itsRegion !== region) return `${name} must be in ${region}, where the functions run.`;
  return /:1{12}:|^0x(.)\1{39}$/i.test(`${value}`) && `${name} is that of the example: give your own.`;
}

/** Returns sentences about settings that do not go together. */
function problemsOf({ values, isGiven }: Asked): readonly Sentence[] {
  const usesTokens = values.orderAccess === 'jwt' || values.readAccess === 'jwt';
  return [
    !usesTokens &&
      (isGiven('jwtIssuer') || isGiven('jwtAudience') || isGiven('jwtScopes')) &&
      'jwtIssuer, jwtAudience and jwtScopes go with orderAccess=jwt or readAccess=jwt.',
    usesTokens &&
      !(isGiven('jwtIssuer') && isGiven('jwtAudience')) &&
      'jwt needs jwtIssuer and jwtAudience, as the tokens name them.',
    isGiven('domainName') !== isGiven('certificateArn') &&
      'domainName and certificateArn go together: give both, or none.',
  ];
}

/**
 * Reads the settings of a deployment. Throws one `ConfigError` with a sentence for each that is missing or wrong.
 * `foundRegion`: that of the machine's AWS configuration.
 */
export function readSettings(given: Context, foundRegion?: string) {
  const names = Object.keys(given).filter((name) => given[name] !== undefined && !OF_THE_CDK.test(name));
  const isDeclinedCap = (name: string) => name.includes('Notional') && given[name] === 'none';
  const said = names.filter((name) => !isDeclinedCap(name)).map((name) => [name, textOf(given[name])]);
  const texts: Readonly<Record<string, string>> = { clientVerification: 'required', ...Object.fromEntries(said) };
  const { values, problems } = readTexts(CONTEXT, texts, (name) => name);
  const isGiven = (name: string) => names.includes(name);
  const region = isGiven('region') ? values.region : foundRegion;
  // A malformed flag asks for orders, so that their mistakes are reported with it.
  const placesOrders = isGiven('placeOrder') && values.placeOrder !== 'false';
  const asked = { values, region, isGiven };
  refuse([
    ...names.map((name) => problemOfForm(name, given[name], region)),
    ...problems,
    ...(placesOrders ? orderProblems(asked) : []),
    ...problemsOf(asked),
  ]);
  const variablesOf = (table: Table): Readonly<Record<string, string>> => {
    const rows = Object.entries(texts).filter(([name]) => name in table);
    return Object.fromEntries(rows.map(([name, text]) => [variableOf(name), text]));
  };
  const orders = placesOrders ? completeOrders(asked, variablesOf(DEPLOYED)) : undefined;
  const unused = names.filter((name) => name in SETTINGS.orders || name in SETTINGS.deployed);
  return {
    ...values,
    region,
    environment: variablesOf(SETTINGS.common),
    /** Absent for a read-only deployment. */
    orders,
    /** Sentences about settings with no effect, a large effect, or perhaps an unintended one. */
    warnings: orders
      ? orders.warnings
      : unused.map((name) => `${name} is not used without placeOrder=true: this deployment takes no orders.`),
  };
}

/** All that a deployment is made of. */
export type Settings = ReturnType<typeof readSettings>;
