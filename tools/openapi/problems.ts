import * as z from 'zod/mini';
import { toSnakeCase } from '../../functions/problem.ts';
import type { Route } from '../../functions/routes.ts';
import { decimal, hash, text } from '../../functions/schemas.ts';
import { ERROR_CODES, type ErrorCode, type ErrorSpec, errorSpec, titleOf } from '../../shared/errors.ts';

type FactSpec = NonNullable<ErrorSpec['facts']>[string];

/** Characters of a venue's sentence that are passed on. */
const MAX_SENTENCE = 200;

function fieldErrors(meaning: string) {
  const fieldError = z.object({
    field: text('Name of the member, parameter or header; `body`, `path` or `request` for the whole.'),
    detail: text('What it must be.'),
  });
  return z.array(fieldError).check(z.minLength(1), z.describe(meaning));
}

/** RFC 3339 in UTC, whole seconds. */
export const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

function factSchema({ kind, meaning }: FactSpec): z.ZodMiniType {
  if (kind === 'decimal') return decimal(meaning);
  if (kind === 'integer') return z.int().check(z.describe(meaning));
  if (kind === 'hash') return hash(meaning);
  if (kind === 'time') return z.string().check(z.regex(WHOLE_SECONDS), z.describe(meaning));
  if (kind === 'text') return text(meaning);
  if (kind === 'field errors') return fieldErrors(meaning);
  if (kind === 'sentence') return z.string().check(z.maxLength(MAX_SENTENCE), z.describe(meaning));
  return z.enum(kind).check(z.describe(meaning));
}

/** Lists the codes that an endpoint can answer with; preflights can answer with those of `everywhere`. */
export function codesOf(where: Route['name'] | 'everywhere'): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => {
    const { on = ['orders'] } = errorSpec(code);
    return on === 'everywhere' || on.some((endpoint) => endpoint === where);
  });
}

/** `price_off_tick` as `PriceOffTickProblem`. */
export function problemName(code: ErrorCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Problem`;
}

/** The problem body (RFC 9457) of a code. */
export function problemSchema(code: ErrorCode): z.ZodMiniType {
  const { status, when, facts = {} } = errorSpec(code);
  const members = Object.entries(facts).map(([name, fact]) => {
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
    .check(z.describe(`Answered when ${when}.`));
}
