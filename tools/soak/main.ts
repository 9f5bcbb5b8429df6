import { oneOf, runCommand, type Values, wholeNumber } from '../../local/command-line.ts';
import { FLAWS } from './options.ts';

const COMMAND = {
  purpose: 'Soaks the service in one of two ways, and counts what went wrong.',
  usage: 'npm run soak -- [options]',
  options: {
    orders: { type: 'string', value: 'N', default: '10000', meaning: 'keyed orders' },
    processes: {
      type: 'string',
      value: 'N',
      default: '1',
      meaning: 'processes of the service: one has a file, several share a table',
    },
    apart: {
      type: 'string',
      value: 'SECONDS',
      meaning: 'between the clocks of the processes; else each is set now and then',
    },
    flaw: {
      type: 'string',
      value: 'NAME',
      meaning: `take a part of the service out, to see that the count can fail: ${FLAWS.join(', ')}`,
    },
    minutes: { type: 'string', value: 'N', meaning: 'minutes of mixed traffic, instead of keyed orders' },
    rate: { type: 'string', value: 'N', default: '200', meaning: 'requests a second of mixed traffic' },
    seed: { type: 'string', value: 'N', default: '1', meaning: 'equal seeds choose equal requests and faults' },
  },
  notes: `Keyed orders go through one process or several, while everything fails. Mixed traffic goes to one process, whose
memory, sockets, timers and files must not grow. Exits with 1 where something went wrong.
`,
} as const;

/** Reads the options; throws `UsageError` where one is not what it must be. */
function readOptions({ orders, processes, apart, seed, flaw, minutes, rate }: Values<typeof COMMAND.options>) {
  return {
    orders: wholeNumber('orders', orders, [1, 90_000]),
    processes: wholeNumber('processes', processes, [1, 16]),
    apart: apart === undefined ? undefined : wholeNumber('apart', apart, [0, 60]),
    seed: wholeNumber('seed', seed, [1, 4_294_967_295]),
    flaw: flaw === undefined ? undefined : oneOf('flaw', flaw, FLAWS),
    minutes: minutes === undefined ? undefined : wholeNumber('minutes', minutes, [1, 1_440]),
    perSecond: wholeNumber('rate', rate, [1, 2_000]),
  };
}

process.exitCode = await runCommand(COMMAND, async (values) => {
  const options = readOptions(values);
  const { minutes } = options;
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  tell(
    minutes === undefined ? `${options.orders} orders; 10,000 take about four minutes.` : `${minutes} min of traffic.`,
  );
  // Loaded only here: `--help` does without.
  const { soakKeyedOrders } = await import('./keyed-orders.ts');
  const { soakTraffic } = await import('./traffic.ts');
  const { lines, failures } =
    minutes === undefined ? await soakKeyedOrders(options, tell) : await soakTraffic({ ...options, minutes }, tell);
  process.stdout.write(`${lines.join('\n')}\n`);
  return failures.length > 0 ? 1 : 0;
});
