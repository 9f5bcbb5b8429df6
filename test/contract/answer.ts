import assert from 'node:assert/strict';
import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';

/** An answer of the service under test. */
export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly headers: Headers;
  /** The JSON value, or the text if it is not JSON; `undefined` without a body. */
  readonly body: unknown;
}

/** The code of a problem. */
export function codeOf({ body }: Answer): string | undefined {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
}

/** Writes an answer for people: a problem as its code and sentence. */
export function describeAnswer(answer: Answer): string {
  const problem = z.looseObject({ code: z.string(), detail: z.string() }).safeParse(answer.body).data;
  return `${answer.status} ${problem ? `${problem.code}: ${problem.detail}` : JSON.stringify(answer.body)}`;
}

const gatewayMessage = z.strictObject({ message: z.string() });

/** Returns true if a gateway answered by itself; after a 5xx of its own, a function may have run. */
export function isOfGateway({ headers, body }: Answer): boolean {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  return !isProblem && gatewayMessage.safeParse(body).success;
}

const anyObject = z.record(z.string(), z.unknown());
const invalid = z.looseObject({ errors: z.array(z.object({ field: z.string(), detail: z.string() })) });

/** Returns the members of a body. */
export function membersOf({ body }: Answer): Record<string, unknown> {
  return anyObject.parse(body);
}

/** Returns the fields that a problem names. */
export function fieldsOf({ body }: Answer): readonly string[] {
  return invalid.parse(body).errors.map(({ field }) => field);
}

/** Expects a problem with this code, and where given with these members, or errors that name this field. */
export function expectProblem(answer: Answer, code: ErrorCode, about?: string | Record<string, unknown>): void {
  assert.ok(codeOf(answer) === code, `expected ${code}, got ${describeAnswer(answer)}`);
  if (typeof about === 'string') {
    assert.ok(fieldsOf(answer).includes(about), `errors does not name ${about}: ${fieldsOf(answer).join(', ')}`);
  }
  if (typeof about === 'object') expectMembers(answer, about);
}

/** Expects members of a body, and leaves out the others. */
export function expectMembers(answer: Answer, expected: Record<string, unknown>): void {
  const members = membersOf(answer);
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, members[name]]));
  assert.deepEqual(found, expected, JSON.stringify(answer.body));
}
