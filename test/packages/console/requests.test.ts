import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ErrorCode, mayBeLiveAfter, OrderBookError } from '../../../packages/client/error.ts';
import { curlOf } from '../../../packages/console/curl.ts';

/** Runs a command with a `curl` that prints what it is given. */
function argumentsOf(command: string): readonly string[] {
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

describe('the curl of a request', () => {
  it('gives a shell the request unchanged', () => {
    const texts = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(texts, texts, texts, (path, value, body) => {
        const url = `http://127.0.0.1:8080/${path}`;
        const command = curlOf(url, { 'idempotency-key': value }, body);
        expect(argumentsOf(command)).toStrictEqual([url, '-H', `idempotency-key: ${value}`, '-d', body]);
      }),
      { numRuns: 30, examples: [["'; rm -rf x; '", '$(id) `id` "', '-d @/etc/passwd \\']] },
    );
  });
});

function failure(code: ErrorCode, status?: number, facts = {}): OrderBookError {
  return new OrderBookError('…', { code, status, facts });
}

describe('an order', () => {
  // If the order may have been live before the error; nothing was sent in the first case.
  const [UNSENT, FIRST, AGAIN, EARLIER] = [undefined, false, true, true];

  it.each([
    ['no answer to the first sending', true, failure('network_error'), FIRST],
    ['no answer before anything was sent', false, failure('network_error'), UNSENT],
    ['an unknown outcome', true, failure('outcome_unknown', 504), FIRST],
    ['an order in progress', true, failure('order_in_progress', 409), FIRST],
    ['a page of a proxy', true, failure('foreign_answer', 200), FIRST],
    ['a refusal', false, failure('price_off_tick', 422), FIRST],
    [
      'a refusal of a repeat under the same key',
      false,
      failure('insufficient_balance', 422, { order_id: '0x1' }),
      AGAIN,
    ],
    ['a refusal of a repeat alone', true, failure('expiry_too_soon', 422), AGAIN],
    ['a key that was used for another account', true, failure('idempotency_key_reused', 422), EARLIER],
    ['a malformed request', false, failure('invalid_request', 400), FIRST],
    [
      'a service that places no orders any more, after a sending',
      true,
      failure('order_placement_disabled', 403),
      AGAIN,
    ],
    [
      'a service that places no orders any more, after a reload',
      true,
      failure('order_placement_disabled', 403),
      EARLIER,
    ],
    ['a service that places no orders', false, failure('order_placement_disabled', 403), FIRST],
  ])('after %s may be live: %s', (_after, open, error, before) => {
    expect(before === undefined ? error.mayBeLive : mayBeLiveAfter(error, before)).toBe(open);
  });
});
