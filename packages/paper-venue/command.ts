import { FAULT_NAMES } from './faults/faults.ts';

// Read by the command line of the service's other commands, which this package does not import.

const OPTIONS = {
  host: { type: 'string', value: 'HOST', default: '127.0.0.1', meaning: 'address to listen on' },
  port: { type: 'string', value: 'PORT', default: '8081', meaning: 'port to listen on; 0 takes a free one' },
  seed: { type: 'string', value: 'N', default: '1', meaning: 'equal seeds give equal markets, first books and drift' },
  still: {
    type: 'boolean',
    default: false,
    meaning: "books change by orders only: no drift, no trades of the venue's own takers",
  },
} as const;

const NOTES = `Paths of the paper venue only:
  POST /paper/faults      {"fault":NAME,"method":"POST","path":"/order","times":1, ...}, or a list; GET lists, DELETE clears
  GET  /paper/requests    what was received      GET /paper/orders   what clients got accepted
  POST /paper/tick-size   {"token_id":ID,"tick_size":"0.001"}
  POST /paper/accounts    {"address":ADDRESS,"restriction":"banned","collateral":"5","shares":{"token_id":ID,"amount":"5"}}
  POST /paper/trades      {"order_id":ID,"status":"FAILED"}, or the trade's "id": how a trade settled
  POST /paper/look-ups    {"lag_ms":8000}        age at which look-ups begin to show orders and trades
  POST /paper/refresh     {"steps":60}           the markets go as many steps on, else one a second
  POST /paper/reset       back to the first minute: as if started now

A request may carry its own fault: "x-paper-fault: NAME; ms=500". Members beside the name: ms, seconds (late,
clock-skew), answer (late: none or edge-504), code, text, status (success-false), bytes, retry_after
(rate-limit). Names:
  ${FAULT_NAMES.join(' ')}
`;

export const COMMAND = {
  purpose:
    "Starts the paper venue: the venue's own HTTP protocol (Gamma and CLOB) with invented markets and no real money.",
  usage: 'npm run paper:venue -- [options]',
  options: OPTIONS,
  notes: NOTES,
} as const;

type Address = { readonly host: string; readonly port: number };

function sentence(error: unknown, { host, port }: Address): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken: stop what uses it or choose another with --port.`;
  if (code === 'EACCES') return `Not allowed to listen on port ${port} of ${host}: choose one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: choose another with --host.`;
  return error instanceof Error ? error.message : String(error);
}

/** The values of the options. */
interface Values {
  readonly host: string;
  readonly port: string;
  readonly seed: string;
  readonly still: boolean;
}

/** Listens until a signal. Returns the exit code, or a sentence on a value that it does not take. */
export async function serve({ host, still, ...texts }: Values): Promise<number | string> {
  const numberOf = (text: string) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
  const [port, seed] = [numberOf(texts.port), numberOf(texts.seed)];
  if (!(port <= 65_535)) return '--port must be a whole number from 0 to 65535.';
  if (!(seed <= 4_294_967_295)) return '--seed must be a whole number from 0 to 4294967295.';
  try {
    // Loaded only here: `--help` does without.
    const { createPaperVenue } = await import('./venue.ts');
    const venue = createPaperVenue({ seed, still });
    const { url } = await venue.listen({ host, port });
    process.stdout.write(`Paper venue (seed ${seed}) listening on ${url}\n`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void venue.close());
    return 0;
  } catch (error) {
    process.stderr.write(`${sentence(error, { host, port })}\n`);
    return 1;
  }
}
