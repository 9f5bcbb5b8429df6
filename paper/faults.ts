import { z } from 'zod';
import type { PaperRequest } from './wire.ts';

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
  'edge-502-after',
  'truncated',
  'cut',
  'wrong-type',
  'oversize',
  'no-hash',
  'status',
] as const;

/** Every fault by name; `delay` and `clock-skew` leave request and answer whole. */
export const FAULT_NAMES = [...BEFORE, ...AFTER, 'delay', 'clock-skew'] as const;

const faultSchema = z.object({
  fault: z.enum(FAULT_NAMES),
  /** Only requests of this method; default all. */
  method: z.string().optional(),
  /** Only requests whose path begins so; default all. */
  path: z.string().default('/'),
  /** For how many matching requests. */
  times: z.coerce.number().int().positive().default(1),
  /** Milliseconds of delay and delay-after. */
  ms: z.coerce.number().int().nonnegative().default(200),
  /** By how many seconds clock-skew moves the venue's clock. */
  seconds: z.coerce.number().default(120),
  /** HTTP status of refuse. */
  code: z.coerce.number().int().min(200).max(599).default(400),
  /** Error text of refuse, error-500 and success-with-error; the order status of status. */
  text: z.string().optional(),
  /** Bytes of oversize. */
  bytes: z.coerce
    .number()
    .int()
    .positive()
    .default(9 * 1_024 * 1_024),
  /** Seconds in Retry-After of restart, rate-limit and post-only-mode; default 1, 1 and 120. */
  retry_after: z.coerce.number().int().nonnegative().optional(),
});

const ordersSchema = z.union([faultSchema.transform((fault) => [fault]), z.array(faultSchema)]);

/** What POST /paper/faults takes, one or several. */
export type FaultOrder = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema>;

/** The faults of a request: at most one shift of the clock and one other. */
export interface ActiveFaults {
  readonly skewMs: number;
  readonly fault: Fault | undefined;
}

/** `delay; ms=500` as a fault; undefined when the header says nothing that can be understood. */
function fromHeader(header: string): Fault | undefined {
  const [fault, ...members] = header.split(';').map((part) => part.trim());
  const pairs = members.map((member) => member.split('=').map((part) => part.trim()));
  return faultSchema.safeParse({ ...Object.fromEntries(pairs), fault }).data;
}

/** The faults that were ordered and have not all happened yet. */
export class FaultBoard {
  #armed: { readonly fault: Fault; left: number }[] = [];

  /** Arms faults; throws a ZodError when they cannot be understood. */
  arm(orders: unknown): void {
    const faults = ordersSchema.parse(orders);
    this.#armed.push(...faults.map((fault) => ({ fault, left: fault.times })));
  }

  clear(): void {
    this.#armed = [];
  }

  list(): readonly Fault[] {
    return this.#armed.map(({ fault, left }) => ({ ...fault, times: left }));
  }

  /** The faults of this request, which are thereby used up; the header `x-paper-fault` goes first. */
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
    return { skewMs: skew ? skew.seconds * 1_000 : 0, fault };
  }
}
