import * as z from 'zod';
import type { PaperRequest } from '../http/router.ts';

/** Faults that answer, or do not, before the request is processed. */
const BEFORE = [
  'hang',
  'reset',
  'restart',
  'rate-limit',
  'rate-limit-html',
  'error-500',
  'edge-502',
  'edge-503',
  'post-only-mode',
  'halted',
  'cancel-only',
  'region',
  'firewall',
  'unauthorized',
  'redirect',
  'refuse',
  'success-with-error',
] as const;
/** Faults that spoil the answer to a request that was processed: an order is accepted. */
const AFTER = [
  'hang-after',
  'reset-after',
  'delay-after',
  'error-500-after',
  'refuse-after',
  'success-false',
  'edge-502-after',
  'truncated',
  'cut',
  'wrong-type',
  'oversize',
  'no-hash',
  'status',
] as const;

/** Faults that change a fact in the answer of one path: the venue, or the account, is another than a client expects. */
const UNTRUE = [
  'geoblock-country',
  'no-funds',
  'missing-approval',
  'unusable-market',
  'bad-book-hash',
  'off-tick-level',
  'other-book-version',
] as const;

/** Names of all faults; `delay` and `clock-skew` leave request and answer whole. */
export const FAULT_NAMES = [...BEFORE, ...AFTER, 'late', 'balance-first', ...UNTRUE, 'delay', 'clock-skew'] as const;

/** The paths of the faults that are for one path, unless they name another. */
const OWN_PATHS: ReadonlyMap<string, string> = new Map<(typeof UNTRUE)[number], string>([
  ['geoblock-country', '/api/geoblock'],
  ['no-funds', '/balance-allowance'],
  ['missing-approval', '/balance-allowance'],
  ['unusable-market', '/markets/keyset'],
  ['bad-book-hash', '/book'],
  ['off-tick-level', '/book'],
  ['other-book-version', '/book'],
]);

/** Bound of `seconds`, and of `ms`: a day, well below what a timer can count. */
const MAX_SECONDS = 86_400;

const members = z.strictObject({
  fault: z.enum(FAULT_NAMES, { error: `must be one of ${FAULT_NAMES.join(', ')}` }),
  /** Method of the requests that it is for; default all. */
  method: z.string().optional(),
  /** Beginning of the path of the requests that it is for; default all, or the one path that knows the fact. */
  path: z.string().optional(),
  /** Number of requests that it is for. */
  times: z.coerce.number().int().positive().default(1),
  /** Delay of `delay` and `delay-after`, in milliseconds. */
  ms: z.coerce
    .number()
    .int()
    .nonnegative()
    .max(MAX_SECONDS * 1_000)
    .default(200),
  /** Shift of the venue's clock by `clock-skew` (default 120), or delay of a `late` request (5), in seconds. */
  seconds: z.coerce.number().min(-MAX_SECONDS).max(MAX_SECONDS).optional(),
  /** Answer that a `late` request gets at once. */
  answer: z.enum(['none', 'edge-504']).default('none'),
  /** HTTP status of `refuse` and `refuse-after`. */
  code: z.coerce.number().int().min(200).max(599).default(400),
  /** Error text of the faults that have one; order status of `status`; the changed fact of a fault that changes one. */
  text: z.string().optional(),
  /** Order status of `success-false`; default the one that the order has. */
  status: z.string().optional(),
  /** Length that `oversize` adds, in bytes. */
  bytes: z.coerce
    .number()
    .int()
    .positive()
    .default(9 * 1_024 * 1_024),
  /** Retry-After in seconds, of `restart`, `rate-limit`, `rate-limit-html` (default 1) and `post-only-mode` (120). */
  retry_after: z.coerce.number().int().nonnegative().optional(),
});

const faultSchema = members.transform((fault) => ({ ...fault, path: fault.path ?? OWN_PATHS.get(fault.fault) ?? '/' }));

/** Fault as POST /paper/faults takes it. */
export type FaultOrder = z.input<typeof faultSchema>;
/** A fault that a test or a page arms. */
export type Fault = z.output<typeof faultSchema>;

/** Faults of one request: at most one shift of the clock and one other. */
export interface ActiveFaults {
  readonly skewMs: number;
  readonly fault: Fault | undefined;
}

/** Reads a header such as `delay; ms=500`; undefined when it cannot be understood. */
function fromHeader(header: string): Fault | undefined {
  const [fault, ...members] = header.split(';').map((part) => part.trim());
  const pairs = members.map((member) => member.split('=').map((part) => part.trim()));
  return faultSchema.safeParse({ ...Object.fromEntries(pairs), fault }).data;
}

/** Faults that are armed and have not all happened yet. */
export class FaultBoard {
  #armed: { readonly fault: Fault; left: number }[] = [];

  /** Arms faults; throws a ZodError when they cannot be understood. */
  arm(orders: unknown): void {
    // Not a union of the two, whose error would not say what is wrong.
    const faults = Array.isArray(orders) ? z.array(faultSchema).parse(orders) : [faultSchema.parse(orders)];
    this.#armed.push(...faults.map((fault) => ({ fault, left: fault.times })));
  }

  clear(): void {
    this.#armed = [];
  }

  list(): readonly Fault[] {
    return this.#armed.map(({ fault, left }) => ({ ...fault, times: left }));
  }

  /** Takes the armed faults of a request; its own header `x-paper-fault` goes first. */
  take({ method, path, headers }: Pick<PaperRequest, 'method' | 'path' | 'headers'>): ActiveFaults {
    const header = headers['x-paper-fault'];
    const asked = typeof header === 'string' ? fromHeader(header) : undefined;
    const fits = ({ fault }: { fault: Fault }) =>
      (fault.method === undefined || fault.method === method) && path.startsWith(fault.path);
    const use = (isSkew: boolean): Fault | undefined => {
      if (asked && (asked.fault === 'clock-skew') === isSkew) return asked;
      const armed = this.#armed.find((entry) => fits(entry) && (entry.fault.fault === 'clock-skew') === isSkew);
      if (armed) armed.left -= 1;
      return armed?.fault;
    };
    const [skew, fault] = [use(true), use(false)];
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return { skewMs: skew ? (skew.seconds ?? 120) * 1_000 : 0, fault };
  }
}

/** Requests that are held up on their way to the venue; those that are still on it when it closes never arrive. */
export class LateRequests {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Delays a request. Its client no longer waits, so an answer or an error is dropped. */
  add(delayMs: number, arrive: () => unknown): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      try {
        arrive();
      } catch {}
    }, delayMs);
    this.#timers.add(timer);
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
