import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { Answer } from './answer.ts';

const schemaLike = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema: schemaLike }));
const response = z.object({ content: content.optional(), headers: z.record(z.string(), z.unknown()).optional() });
const reference = z.object({ $ref: z.string() });
const operation = z.object({ responses: z.record(z.string(), z.union([reference, response])) });
const documentShape = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), schemaLike), responses: z.record(z.string(), response) }),
  'x-gateway-answer': z.object({ content: z.object({ 'application/json': z.object({ schema: schemaLike }) }) }),
});

type Responses = Readonly<Record<string, z.output<typeof response>>>;

/** The document of the API. Its checks throw a sentence about the first thing that is different. */
export interface Contract {
  /** Every `operation status code` that the document knows; the code is that of a problem. */
  readonly documented: ReadonlySet<string>;
  /** Checks status, media type and body of an answer of a route; the document leaves preflights out. */
  checkAnswer(route: string, answer: Answer): void;
  /** Checks a body against a named schema. */
  checkBody(schemaName: string, body: unknown): void;
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return schemaLike.safeParse(value).success;
}

/** The schema with every object closed: this version answers nothing that the document does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isSchema(schema)) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return isSchema(schema['properties']) && schema['type'] === 'object'
    ? { ...inside, additionalProperties: false }
    : inside;
}

function readDocument() {
  const path = join(import.meta.dirname, '../../openapi.json');
  return documentShape.parse(JSON.parse(readFileSync(path, 'utf8')));
}

function responsesOf(value: unknown, shared: Responses): Responses {
  const resolved = Object.entries(operation.parse(value).responses).map(([status, found]) => {
    if (!('$ref' in found)) return [status, found] as const;
    return [status, shared[found.$ref.slice('#/components/responses/'.length)] ?? {}] as const;
  });
  return Object.fromEntries(resolved);
}

/** The responses of each operation, by the name of its route: `book` of `/v1/book/{token_id}`. */
function operationsOf({ paths, components }: z.output<typeof documentShape>): ReadonlyMap<string, Responses> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, value]) =>
      method === 'parameters'
        ? []
        : [[path.replace('/v1', '').split('/')[1] ?? '', responsesOf(value, components.responses)] as const],
    ),
  );
  return new Map(operations);
}

const problemCode = z.object({ properties: z.object({ code: z.object({ const: z.string() }) }) });

let loaded: Contract | undefined;

/** Loads `openapi.json` of the project, once: its schemas are compiled when they are used first. */
export function loadContract(): Contract {
  loaded ??= makeContract();
  return loaded;
}

function makeContract(): Contract {
  const document = readDocument();
  const operations = operationsOf(document);
  const ofGateway = schemaLike.parse(closed(document['x-gateway-answer'].content['application/json'].schema));
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'contract', ...(isSchema(closed(document)) && { components: closed(document.components) }) });
  const compiled = new Map<string, ValidateFunction>();

  function checkAgainst(schema: Record<string, unknown>, body: unknown): void {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    if (validate(body)) return;
    const [error] = validate.errors ?? [];
    throw new Error(`the body${error?.instancePath ?? ''} ${error?.message}: ${JSON.stringify(body).slice(0, 300)}`);
  }

  function namesIn(schema: Record<string, unknown>): readonly string[] {
    return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => `${name}`,
    );
  }

  const documented = [...operations].flatMap(([route, responses]) =>
    Object.entries(responses).flatMap(([status, { content: bodies }]) => {
      const problem = bodies?.['application/problem+json']?.schema;
      if (!problem) return [`${route} ${status}`];
      return namesIn(problem).map((name) => {
        const { code } = problemCode.parse(document.components.schemas[name]).properties;
        return `${route} ${status} ${code.const}`;
      });
    }),
  );

  return {
    documented: new Set(documented),
    checkBody: (schemaName, body) => checkAgainst({ $ref: `#/components/schemas/${schemaName}` }, body),
    checkAnswer: (route, { status, headers, method, body }) => {
      const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
      if (status >= 400 && mediaType === 'application/json' && method !== 'HEAD') return checkAgainst(ofGateway, body);
      const isPreflight = method === 'OPTIONS' && status === 204;
      const found: Responses[string] | undefined = isPreflight ? {} : operations.get(route)?.[String(status)];
      if (!found) throw new Error(`status ${status} is not documented for ${route}: ${JSON.stringify(body)}`);
      if (!found.content || method === 'HEAD') {
        if (body !== undefined) throw new Error(`a ${status} to ${method} has a body`);
        return;
      }
      const schema = found.content[mediaType]?.schema;
      if (!schema) throw new Error(`Content-Type ${mediaType || '(none)'} is not documented for a ${status}`);
      checkAgainst(schema, body);
    },
  };
}
