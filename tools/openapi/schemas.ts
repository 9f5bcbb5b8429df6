import * as z from 'zod/mini';
import { healthStatus } from '../../functions/health/response.ts';
import { orderBody } from '../../functions/orders/order.ts';
import { placedOrder } from '../../functions/orders/response.ts';
import { toSnakeCase } from '../../functions/problem.ts';
import { orderEvent } from '../../operator/follow/event.ts';
import { book, priceLevel } from '../../shared/contract/book.ts';
import { market, marketEvent, marketFees, marketList, outcome } from '../../shared/contract/markets.ts';
import { decimal, hash, text } from '../../shared/contract/schemas.ts';
import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorSpec,
  errorSpec,
  FINAL_CODES,
  ORDER_ID,
  titleOf,
} from '../../shared/errors.ts';

/** A JSON schema. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const NAMED = {
  HealthStatus: healthStatus,
  MarketList: marketList,
  Market: market,
  MarketEvent: marketEvent,
  MarketFees: marketFees,
  Outcome: outcome,
  Book: book,
  PriceLevel: priceLevel,
  OrderRequest: orderBody,
  PlacedOrder: placedOrder,
  OrderEvent: orderEvent,
} as const;

/** The name of a schema of the document, other than a problem. */
export type SchemaName = keyof typeof NAMED;

/** Returns a reference to a named schema. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function camelCase(name: string): string {
  const words = name.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('');
}

/** Returns the name of a code's problem: `PriceOffTickProblem` for `price_off_tick`. */
export function problemName(code: ErrorCode): string {
  return `${camelCase(code)}Problem`;
}

/** The events of orders by the name of each schema: `OrderFilledEvent` for `order.filled`. */
const EVENTS = orderEvent.def.options.map((schema) => {
  const [type = ''] = schema.shape.type.def.values;
  return [`${camelCase(type)}Event`, schema] as const;
});

/** RFC 3339 in UTC, whole seconds. */
export const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** Characters of the venue's message that are passed on. */
const MAX_SENTENCE = 200;

const fieldError = z.object({
  field: text('Name of the member, parameter or header; `body`, `path` or `request` for the whole.'),
  detail: text('What it must be.'),
});

function factSchema({ kind, meaning }: NonNullable<ErrorSpec['facts']>[string]): z.ZodMiniType {
  if (kind === 'decimal') return decimal(meaning);
  if (kind === 'hash') return hash(meaning);
  if (kind === 'text') return text(meaning);
  if (kind === 'integer') return z.int().check(z.describe(meaning));
  if (kind === 'time') return z.string().check(z.regex(WHOLE_SECONDS), z.describe(meaning));
  if (kind === 'field errors') return z.array(fieldError).check(z.minLength(1), z.describe(meaning));
  if (kind === 'sentence') return z.string().check(z.maxLength(MAX_SENTENCE), z.describe(meaning));
  return z.enum(kind).check(z.describe(meaning));
}

/** The codes that may be answered after an order was signed, besides `outcome_unknown`: they carry its id then. */
const AFTER_SIGNING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['order_placement_disabled', 'unknown_token', 'order_above_cap', 'daily_cap_reached', 'rate_limited'] as const),
  ...(['venue_error', 'venue_refused_service', 'venue_unavailable', 'store_unavailable', 'venue_timeout'] as const),
  ...FINAL_CODES,
]);

/** Makes the schema of a code's problem body (RFC 9457). */
function problemSchema(code: ErrorCode): z.ZodMiniType {
  const { status, next, when, facts = {} } = errorSpec(code);
  const signed = AFTER_SIGNING.has(code) && { orderId: { ...ORDER_ID, optional: true as const } };
  const members = Object.entries({ ...signed, ...facts }).map(([name, fact]) => {
    const schema = factSchema(fact);
    return [toSnakeCase(name), fact.optional ? z.optional(schema) : schema] as const;
  });
  return z
    .object({
      type: z.literal('about:blank'),
      title: z.literal(titleOf(code)),
      status: z.literal(status),
      code: z.literal(code),
      detail: text('A sentence that says what to do. Not stable: branch on `code`.'),
      request_id: text('As in `X-Request-Id`.'),
      ...Object.fromEntries(members),
    })
    .check(z.meta({ description: `Answered when ${when}.`, 'x-next': next }));
}

/** Writes `anyOf` of a simple type and null as one type of two names, which is easier to read. */
function joinNull(schema: JsonSchema): JsonSchema {
  const { anyOf = [], ...own } = schema;
  const [value, nothing, ...others] = anyOf;
  if (typeof value !== 'object' || typeof nothing !== 'object') return schema;
  if (others.length > 0 || nothing.type !== 'null' || typeof value.type !== 'string') return schema;
  // An `enum` has to list null as well.
  return { ...value, ...own, type: [value.type, 'null'], ...(value.enum && { enum: [...value.enum, null] }) };
}

/** Writes a default in words: from the keyword, generators conclude that the member is always there. */
function describeDefault({ default: absent, ...schema }: JsonSchema): JsonSchema {
  return absent === undefined
    ? schema
    : { ...schema, description: `${schema.description} Without it: \`${JSON.stringify(absent)}\`.` };
}

/** Members whose words are in the glossary. */
const EXPLAINED: ReadonlySet<string> = new Set([
  ...['token_id', 'tick_size', 'neg_risk', 'post_only', 'taker_only', 'wallet_address', 'funder_address'],
  ...['min_notional', 'max_notional', 'max_daily_notional'],
]);
export const GLOSSARY = { description: 'Glossary', url: 'docs/glossary.md' } as const;

/** Makes a member's schema as it stands in the document. */
function plainMember(name: string, schema: JsonSchema): JsonSchema {
  const plain = plainMembers(describeDefault(joinNull(schema)));
  return EXPLAINED.has(name) && plain.type !== 'null' ? { ...plain, externalDocs: GLOSSARY } : plain;
}

function plainMembers(schema: JsonSchema): JsonSchema {
  if (!schema.properties) return schema;
  const properties = Object.entries(schema.properties).map(
    ([name, member]) => [name, typeof member === 'object' ? plainMember(name, member) : member] as const,
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Makes a schema as it stands inside the document. */
export function inlineSchema(schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/**
 * Makes the named schemas. As input: an answer may get further members, which a client has to ignore, so only the
 * order is closed.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  for (const code of ERROR_CODES) registry.add(problemSchema(code), { id: problemName(code) });
  for (const [id, schema] of EVENTS) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => schemaRef(id).$ref });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, plainMembers(schema)]),
  );
}
