import { STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorCode, errorSpec, isFinal } from '../../shared/errors.ts';
import { examplesOf } from './examples.ts';
import { type HeaderName, headerRefs, headersOf } from './headers.ts';
import { problemExample } from './problem-examples.ts';
import { problemName } from './problems.ts';
import { type SchemaName, schemaRef } from './schemas.ts';

/** A success of an operation. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly schema?: SchemaName;
  readonly headers?: readonly HeaderName[];
}

/** A success as it stands under its status. */
export function successResponse(operationId: string, { status, description, schema, headers = [] }: Success) {
  const examples = examplesOf(operationId, status);
  return {
    description,
    headers: headerRefs(['X-Request-Id', ...headers]),
    ...(schema && {
      content: { 'application/json': { schema: schemaRef(schema), ...(examples && { examples }) } },
    }),
  };
}

function describeCodes(status: number, codes: readonly ErrorCode[]): string {
  const lines = codes.map((code) => `- \`${code}\`: ${errorSpec(code).when}.`);
  return [`${STATUS_CODES[status]}:`, '', ...lines].join('\n');
}

function problemContent(operationId: string, status: number, codes: readonly ErrorCode[]) {
  const refs = codes.map((code) => schemaRef(problemName(code)));
  const [only] = refs;
  const mapping = Object.fromEntries(codes.map((code) => [code, schemaRef(problemName(code)).$ref]));
  const schema = refs.length === 1 ? only : { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
  const provoked = examplesOf(operationId, status);
  const written = codes.filter((code) => !(provoked && code in provoked)).map((code) => [code, problemExample(code)]);
  return { 'application/problem+json': { schema, examples: { ...provoked, ...Object.fromEntries(written) } } };
}

function problemResponse(operationId: string, status: number, codes: readonly ErrorCode[]) {
  const headers = new Set<HeaderName>(['X-Request-Id', ...codes.flatMap(headersOf)]);
  if (codes.some(isFinal)) headers.add('Idempotency-Replayed');
  return {
    description: describeCodes(status, codes),
    headers: headerRefs([...headers]),
    content: problemContent(operationId, status, codes),
  };
}

/** The name of the answer that operations share: one code, and no example of its own. */
function sharedName(operationId: string, status: number, [code, ...others]: readonly ErrorCode[]): string | undefined {
  if (code === undefined || others.length > 0 || examplesOf(operationId, status)) return undefined;
  return problemName(code);
}

function responseRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

/** The answers to errors by status, from the codes that an operation can give. */
export function problemResponses(operationId: string, codes: readonly ErrorCode[]) {
  const statuses = [...new Set(codes.map((code): number => ERRORS[code].status))].sort((a, b) => a - b);
  const responses = statuses.map((status) => {
    const these = codes.filter((code) => ERRORS[code].status === status);
    const shared = sharedName(operationId, status, these);
    return [String(status), shared ? responseRef(shared) : problemResponse(operationId, status, these)] as const;
  });
  return Object.fromEntries(responses);
}

/** The answers that operations share, by name. */
export function sharedResponses(operations: readonly (readonly [operationId: string, codes: readonly ErrorCode[]])[]) {
  const shared = operations.flatMap(([operationId, codes]) =>
    codes.flatMap((code) => {
      const { status } = ERRORS[code];
      const these = codes.filter((other) => ERRORS[other].status === status);
      const name = sharedName(operationId, status, these);
      return name === undefined ? [] : [[name, problemResponse(operationId, status, these)] as const];
    }),
  );
  return Object.fromEntries(shared);
}

/**
 * Describes the answers of a gateway. In an extension: they are no answers of the service, and among those each
 * generated client would have to tell them apart before it may read a `code`.
 */
export const GATEWAY_ANSWER = {
  description:
    'What the gateway in front of a deployed service answers by itself, on any path and with a status from 400 on. It has ' +
    'no `code`. Before any function ran: 401 or 403 to an order of somebody whom it does not know, 429 above its rate. ' +
    'After a 5xx a function may have run without an answer, and an order may be live. The local server has no such answers.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { message: { type: 'string' } } },
      example: { message: 'Too Many Requests' },
    },
  },
} as const;
