import { parseArgs } from 'node:util';
import { soakKeyedOrders } from './keyed-orders.ts';
import { soakTraffic } from './traffic.ts';

const HELP = `Soaks the service in one of two ways, and counts what went wrong.

Usage: npm run soak -- [options]

Keyed orders through several processes on one store, while everything fails:
  --orders N      keyed orders (default 10000)
  --processes N   processes of the service on one store (default 4)
  --flaw NAME     take a part of the service out, to see that the count can fail: 'no write-ahead', 'no conditions'
                  or 'no late arrivals'
Mixed traffic to one process, whose memory, sockets, timers and files must not grow:
  --minutes N     for so long (instead of orders)
  --rate N        requests a second (default 200)

  --seed N        equal seeds choose equal requests and faults (default 1)
  --help          print this
`;

const FLAWS = ['no write-ahead', 'no conditions', 'no late arrivals'] as const;

function wholeNumber(name: string, text: string, most: number): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > most) {
    throw new TypeError(`--${name} must be a number from 1 to ${most}`);
  }
  return Number(text);
}

function readFlags() {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string', default: '10000' },
      processes: { type: 'string', default: '4' },
      seed: { type: 'string', default: '1' },
      flaw: { type: 'string' },
      minutes: { type: 'string' },
      rate: { type: 'string', default: '200' },
      help: { type: 'boolean', default: false },
    },
  });
  const flaw = FLAWS.find((name) => name === values.flaw);
  if (values.flaw !== undefined && !flaw) throw new TypeError(`--flaw must be one of: ${FLAWS.join(', ')}`);
  return {
    orders: wholeNumber('orders', values.orders, 90_000),
    processes: wholeNumber('processes', values.processes, 16),
    seed: wholeNumber('seed', values.seed, 4_294_967_295),
    flaw,
    minutes: values.minutes === undefined ? undefined : wholeNumber('minutes', values.minutes, 1_440),
    perSecond: wholeNumber('rate', values.rate, 2_000),
    help: values.help,
  };
}

async function main(): Promise<void> {
  let flags: ReturnType<typeof readFlags>;
  try {
    flags = readFlags();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
    return;
  }
  if (flags.help) {
    process.stdout.write(HELP);
    return;
  }
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  const { minutes } = flags;
  const { lines, failures } =
    minutes === undefined ? await soakKeyedOrders(flags, tell) : await soakTraffic({ ...flags, minutes }, tell);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

await main();
