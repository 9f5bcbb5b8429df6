import * as z from 'zod/mini';
import { book, priceLevel } from '../../functions/book/response.ts';
import { healthStatus } from '../../functions/health/response.ts';
import { market, marketEvent, marketFees, marketList, outcome } from '../../functions/markets/response.ts';
import { orderBody } from '../../functions/orders/request.ts';
import { placedOrder } from '../../functions/orders/response.ts';
import { ERROR_CODES } from '../../shared/errors.ts';
import { problemName, problemSchema } from './problems.ts';

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
} as const;

/** The name of a schema of the document. */
export type SchemaName = keyof typeof NAMED;

/** A reference to a named schema. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** `anyOf` of a simple type and null as one type of two names, which is easier to read. */
function joinNull(schema: JsonSchema): JsonSchema {
  const [value, nothing, ...others] = schema.anyOf ?? [];
  if (typeof value !== 'object' || typeof nothing !== 'object') return schema;
  if (others.length > 0 || nothing.type !== 'null' || typeof value.type !== 'string') return schema;
  return { ...value, type: [value.type, 'null'] };
}

/** Writes a default in words: from the keyword, generators conclude that the member is always there. */
function sayDefault({ default: absent, ...schema }: JsonSchema): JsonSchema {
  return absent === undefined
    ? schema
    : { ...schema, description: `${schema.description} Without it: \`${JSON.stringify(absent)}\`.` };
}

function plainMembers(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, typeof member === 'object' ? sayDefault(joinNull(member)) : member] as const,
  );
  return schema.properties ? { ...schema, properties: Object.fromEntries(properties) } : schema;
}

/** A schema as it stands in the document: what a caller sends, or gets. */
export function inlineSchema(schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/**
 * The named schemas. As input: an answer may get further members, which a client has to ignore, so only the order
 * itself is closed.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  for (const code of ERROR_CODES) registry.add(problemSchema(code), { id: problemName(code) });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => schemaRef(id).$ref });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, plainMembers(schema)]),
  );
}
