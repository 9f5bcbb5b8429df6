import { parseArgs } from 'node:util';
import { FAULT_NAMES } from './faults/faults.ts';

const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8081' },
  seed: { type: 'string', default: '1' },
  still: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const PURPOSE =
  "Starts the paper venue: the venue's own HTTP protocol (Gamma and CLOB) with invented markets and no real money.";

const USAGE = `Usage: npm run paper:venue -- [options]

  --host HOST  address to listen on (default 127.0.0.1)
  --port PORT  port to listen on; 0 takes a free one (default 8081)
  --seed N     equal seeds give equal markets, first books and drift (default 1)
  --still      books change by orders only: no drift, no trades of the venue's own takers
  --help       print this
`;

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

/** Reads the options, or throws an error with one sentence about them. */
function readOptions(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { host, still, help } = values;
  const port = wholeNumber('port', values.port, 65_535);
  return { address: { host, port }, seed: wholeNumber('seed', values.seed, 4_294_967_295), still, help };
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new Error(`--${option} must be a whole number from 0 to ${most}.`);
}

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

/** Listens until a signal. Returns the exit code. */
async function serve({ address, seed, still }: ReturnType<typeof readOptions>): Promise<number> {
  try {
    // Loaded only here: `--help` does without.
    const { createPaperVenue } = await import('./venue.ts');
    const venue = createPaperVenue({ seed, still });
    const { url } = await venue.listen(address);
    process.stdout.write(`Paper venue (seed ${seed}) listening on ${url}\n`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void venue.close());
    return 0;
  } catch (error) {
    process.stderr.write(`${sentence(error, address)}\n`);
    return 1;
  }
}

function readProcess() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}

const options = readProcess();
if (options?.help) process.stdout.write(`${PURPOSE}\n\n${USAGE}\n${NOTES}`);
else process.exitCode = options ? await serve(options) : 2;
