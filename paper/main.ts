import { parseArgs } from 'node:util';
import { FAULT_NAMES } from './faults.ts';
import { createPaperVenue, type PaperVenue } from './venue.ts';

const HELP = `Starts the paper venue: the venue's own HTTP protocol (Gamma and CLOB) with invented markets and no real money.

Usage: npm run paper:venue -- [options]

  --host HOST    address to listen on (default 127.0.0.1)
  --port PORT    port to listen on (default 8081; 0 takes a free one)
  --seed N       equal seeds give equal markets, first books and drift (default 1)
  --state FILE   keep keys, orders and trades in FILE (default: in memory only)
  --still        let the books change by orders only: no drift, no trades of the house
  --help         print this

Paths of the paper venue only:
  POST /paper/faults      {"fault":NAME,"method":"POST","path":"/order","times":1, ...}, or a list; GET lists, DELETE clears
  GET  /paper/requests    what was received      GET /paper/orders   what clients got accepted
  POST /paper/tick-size   {"token_id":ID,"tick_size":"0.001"}
  POST /paper/accounts    {"address":ADDRESS,"restriction":"banned","collateral":"5","shares":{"token_id":ID,"amount":"5"}},
                          or "proxy_wallet":ADDRESS: the wallet that the website trades with
  POST /paper/trades      {"order_id":ID,"status":"FAILED"}, or the trade's "id": how a trade settled
  POST /paper/look-ups    {"lag_ms":8000}        age at which look-ups begin to show orders and trades
  POST /paper/refresh     {"steps":60}           the markets go as many steps on, else one a second
  POST /paper/reset       back to the first minute

A request may carry its own fault: "x-paper-fault: NAME; ms=500". Members beside the name: ms, seconds (late,
clock-skew), answer (late: none or edge-504), code, text, status (success-false), bytes, retry_after. Names:
  ${FAULT_NAMES.join(' ')}
`;

interface Flags {
  readonly host: string;
  readonly port: number;
  readonly seed: number;
  readonly state: string | undefined;
  readonly still: boolean;
  readonly help: boolean;
}

function wholeNumber(name: string, text: string, most: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > most)
    throw new TypeError(`--${name} must be a number from 0 to ${most}`);
  return Number(text);
}

/** Reads the flags of the command line; TypeError with one sentence when they cannot be understood. */
function flagsOf(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8081' },
      seed: { type: 'string', default: '1' },
      state: { type: 'string' },
      still: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { host, state, still, help } = values;
  const numbers = {
    port: wholeNumber('port', values.port, 65_535),
    seed: wholeNumber('seed', values.seed, 4_294_967_295),
  };
  return { host, state, still, help, ...numbers };
}

function sentence(error: unknown, { host, port, state }: Flags): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // Errors of the file system alone name a path.
  if (error instanceof Error && 'path' in error) {
    const [, reason = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
    return `--state ${state} cannot be used: ${reason}. Name a file in a folder that exists and can be written to.`;
  }
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken: stop what uses it or choose another with --port.`;
  if (code === 'EACCES') return `Not allowed to listen on port ${port} of ${host}: choose one above 1023 with --port.`;
  return error instanceof Error ? error.message : String(error);
}

async function start(flags: Flags): Promise<PaperVenue> {
  const state = flags.state === undefined ? {} : { stateFile: flags.state };
  const venue = createPaperVenue({ seed: flags.seed, still: flags.still, ...state });
  const { url } = await venue.listen(flags);
  process.stdout.write(`Paper venue (seed ${flags.seed}) listening on ${url}\n`);
  return venue;
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  let flags: Flags;
  try {
    flags = flagsOf(process.argv.slice(2));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  if (flags.help) {
    process.stdout.write(HELP);
    return;
  }
  try {
    const venue = await start(flags);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        venue.close().catch((error: unknown) => fail(sentence(error, flags)));
      });
    }
  } catch (error) {
    fail(sentence(error, flags));
  }
}

await main();
