import * as z from 'zod/mini';
import {
  type Command,
  flag,
  inColumns,
  type Options,
  oneOf,
  option,
  runCommand,
  type Terminal,
  UsageError,
  type Values,
  wholeNumber,
} from '../../local/command-line.ts';
import { withSettingsFile } from '../../local/service/settings-file.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { isTokenId } from '../../shared/token-id.ts';
import { type Access, checkWhere, DeskError, openAccess, WHERE, type Where } from '../account/access.ts';
import { openVenue } from '../account/venue.ts';
import { cancelOrders, type Selection } from '../desk/cancel.ts';
import { type Desk, listOpen } from '../desk/desk.ts';
import { reportFills } from '../desk/fills.ts';
import { FORMATS } from '../desk/output.ts';
import { showOrder } from '../desk/show.ts';
import { followOrders } from '../follow/command.ts';
import { receiverUrl } from '../follow/webhook.ts';

const PLACE = { ...WHERE, paper: flag('the session of npm run paper, on the port of SERVICE_PORT') } as const;
const COMMON = { format: { ...option('FORMAT', 'table, csv or json'), default: 'table' }, ...PLACE } as const;
const client = option('ADDRESS', 'only the orders of this client, by the records');

function onlyId(id: string): string {
  if (!/^0x[0-9a-f]{64}$/i.test(id)) throw new UsageError('An order id is 0x and 64 hex digits.');
  return id.toLowerCase();
}

const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Reads a time; `undefined` for none. */
function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const { data } = TIME.safeParse(text.toUpperCase());
  // A date is its midnight in UTC.
  if (data !== undefined) return Date.parse(data);
  throw new UsageError(`--${option} must be a time such as 2026-11-01T09:30:00Z, or a date.`);
}

function selectionOf({ client, token, all }: Omit<Selection, 'ids'>, operands: readonly string[]): Selection {
  const ids = operands.map(onlyId);
  const given = [ids.length > 0, client !== undefined, token !== undefined, all].filter(Boolean);
  if (given.length !== 1) throw new UsageError('Name orders, or one of --client, --token and --all.');
  if (token !== undefined && !isTokenId(token))
    throw new UsageError('--token must be the decimal id of an outcome token.');
  return { ids: [...new Set(ids)], client, token, all };
}

/** The parts of a command besides its options. */
interface Here {
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly ids: readonly string[];
}

/** Opens the account and does the work. A sentence for the operator ends it with 1. */
async function withAccess(where: Where, { env, terminal }: Here, act: (access: Access) => Promise<number>) {
  checkWhere(where);
  try {
    return await act(await openAccess(where, env));
  } catch (error) {
    if (!(error instanceof DeskError || error instanceof ConfigError)) throw error;
    terminal.err(`${error.message}\n`);
    return 1;
  }
}

/** Opens the desk and does the work, as `withAccess`. */
async function withDesk(values: Values<typeof COMMON>, here: Here, act: (desk: Desk) => Promise<number>) {
  const format = oneOf('format', values.format, FORMATS);
  const { terminal } = here;
  const note = (sentence: string) => terminal.err(`${sentence}\n`);
  return withAccess(values, here, async (access) =>
    act({ access, venue: await openVenue(access), terminal, note, format }),
  );
}

/** A command of the desk. It takes no other arguments than `operands` and its options. */
interface DeskCommand<O extends Options> extends Pick<Command<O>, 'purpose' | 'options' | 'notes'> {
  readonly operands?: string;
  readonly run: (values: Values<O>, here: Here) => Promise<number>;
}

function command<const O extends Options>({ operands = '', run, ...about }: DeskCommand<O>) {
  const start = (name: string, env: Environment, terminal: Terminal) => {
    const usage = `npm run orders -- ${[name, operands].join(' ').trim()} [options]`;
    const whole = { ...about, usage, operands: operands !== '' };
    return runCommand(whole, (values, ids) => run(values, { env, terminal, ids }), terminal);
  };
  return { purpose: about.purpose, start };
}

export const COMMANDS = {
  open: command({
    purpose: 'Lists the orders that rest at the venue, with their clients.',
    options: COMMON,
    run: (values, here) => withDesk(values, here, listOpen),
  }),
  show: command({
    purpose: "Shows an order: its record, the venue's order, and each of its fills.",
    options: COMMON,
    operands: 'ORDER_ID',
    async run(values, here) {
      const [id, ...more] = here.ids.map(onlyId);
      if (id === undefined || more.length > 0) throw new UsageError('Name one order.');
      return withDesk(values, here, (desk) => showOrder(desk, id));
    },
  }),
  cancel: command({
    purpose: 'Shows orders, asks, and cancels them.',
    options: {
      client,
      token: option('TOKEN_ID', 'only the orders for this outcome token'),
      all: flag('all orders of the account, including those placed elsewhere'),
      yes: flag('do not ask; needed without a terminal'),
      ...COMMON,
    },
    operands: 'ORDER_ID… | --client ADDRESS | --token TOKEN_ID | --all',
    notes: '--client cancels no order without a record. Exits with 1 if an order rests or may rest.\n',
    async run(values, here) {
      const selection = selectionOf(values, here.ids);
      const ask = values.yes ? undefined : here.terminal.ask;
      if (!values.yes && !ask) throw new UsageError('Without a terminal to ask at, --yes is needed.');
      const asking = { ...here, terminal: { ...here.terminal, ask } };
      return withDesk(values, asking, (desk) => cancelOrders(desk, selection));
    },
  }),
  fills: command({
    purpose: 'Reports what was executed: a row for each fill, or the sums of each client.',
    options: {
      since: option('TIME', 'start of the period: RFC 3339, or a date (midnight UTC)'),
      until: option('TIME', 'before this time'),
      client,
      'by-client': flag('sum up by client'),
      ...COMMON,
    },
    notes: 'Marks fills whose settlement failed, and fees that the desk computed.\n',
    async run({ client, 'by-client': byClient, ...values }, here) {
      const [since, until] = [timeOf('since', values.since), timeOf('until', values.until)];
      if (since !== undefined && until !== undefined && since >= until) {
        throw new UsageError('--since must be before --until.');
      }
      return withDesk(values, here, (desk) => reportFills(desk, { since, until, client, byClient, byToken: false }));
    },
  }),
  positions: command({
    purpose: 'Sums up what was bought and sold by token: net shares, average price, value and fees.',
    options: { client, 'by-client': flag('a row for each client and token'), ...COMMON },
    notes: `Only orders of this account count. The average price is the purchases', rounded down. A position is a sum of trades, not a
holding: redeemed, merged, split or moved shares are not in it. The shares of a resolved market are redeemed, not sold.
`,
    run({ client, 'by-client': byClient, ...values }, here) {
      const options = { client, byClient: byClient || client !== undefined, byToken: true };
      return withDesk(values, here, (desk) => reportFills(desk, options));
    },
  }),
  follow: command({
    purpose: 'Writes what becomes of each order, as it happens: one JSON event a line, until it is stopped.',
    options: {
      since: option(
        'TIME',
        'start at this time (RFC 3339 or a date); default: two minutes ago, or where --webhook stopped',
      ),
      interval: { ...option('SECONDS', 'the pause between two reads of the venue'), default: '5' },
      webhook: option('URL', 'send each event to this URL, signed with ORDERS_WEBHOOK_SECRET'),
      ...PLACE,
    },
    notes: `With --webhook, what was reported is kept beside the store: a restart reports late what happened meanwhile. The same event may
come twice, and has the same id then. Events: docs/events.md.
`,
    async run({ since, interval, webhook, ...where }, here) {
      if (webhook !== undefined && where.stack !== undefined)
        throw new UsageError('--webhook is for a store in a file. A deployment has fillsTopic (docs/topic.md).');
      const options = {
        since: timeOf('since', since),
        pauseMs: 1_000 * wholeNumber('interval', interval, [1, 3_600]),
        url: webhook === undefined ? undefined : receiverUrl(webhook),
        env: withSettingsFile(where.settings, here.env),
        isPaper: where.paper,
      };
      return withAccess(where, here, (access) => followOrders(access, here.terminal, options));
    },
  }),
} as const;

const DESK = {
  purpose: "The operator's desk: lists orders with their clients, their fills and positions, and cancels orders.",
  usage: `npm run orders -- COMMAND [options]

${inColumns(Object.entries(COMMANDS).map(([name, { purpose }]) => [`  ${name}`, purpose])).join('\n')}`,
  options: { paper: PLACE.paper },
  words: Object.keys(COMMANDS),
  meant: { list: 'open' },
  notes: `The options of a command: npm run orders -- COMMAND --help
With SERVICE_WALLET_ADDRESS and the three SERVICE_CLOB_API_* the wallet key is not read.
`,
} as const;

/** Runs the command of a command line. Returns the exit code: 1 if something is not as asked, 2 for misuse. */
export async function runDesk(env: Environment, terminal: Terminal): Promise<number> {
  // The option may stand before the command: `npm run orders -- --paper open`.
  const isFirst = terminal.args[0] === '--paper';
  const [name = '', ...others] = isFirst ? terminal.args.slice(1) : terminal.args;
  const found = Object.entries(COMMANDS).find(([each]) => each === name)?.[1];
  if (found) return found.start(name, env, { ...terminal, args: isFirst ? [...others, '--paper'] : others });
  // An unknown command is reported before its options.
  return runCommand(DESK, () => 'Name a command, such as open.', { ...terminal, args: name === '' ? [] : [name] });
}
