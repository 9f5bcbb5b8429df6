import * as z from 'zod/mini';
import { withSettingsFile } from '../../local/service/settings-file.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { isTokenId } from '../../shared/token-id.ts';
import { flag, oneOf, option, runCommand, UsageError, type Values, wholeNumber } from '../command-line.ts';
import { type Access, checkWhere, DeskError, openAccess, WHERE, type Where } from '../desk/access.ts';
import { cancelOrders, type Selection } from '../desk/cancel.ts';
import { type Desk, type DeskTerminal, listOpen } from '../desk/desk.ts';
import { reportFills } from '../desk/fills.ts';
import { FORMATS } from '../desk/output.ts';
import { showOrder } from '../desk/show.ts';
import { openVenue } from '../desk/venue.ts';
import { followOrders } from '../follow/command.ts';
import { receiverUrl } from '../follow/webhook.ts';

const COMMON = {
  format: { ...option('FORMAT', 'table, csv or json'), default: 'table' },
  ...WHERE,
  paper: flag('the session of npm run paper, on the port of SERVICE_PORT'),
} as const;

const client = option('ADDRESS', 'only the orders of this client, by the records');

const OPEN = {
  purpose: 'Lists the orders that rest at the venue, with their clients.',
  usage: 'npm run orders -- open [options]',
  options: COMMON,
} as const;

const SHOW = {
  purpose: "Shows an order: its record, the venue's order, and each of its fills.",
  usage: 'npm run orders -- show ORDER_ID [options]',
  options: COMMON,
  operands: true,
} as const;

const CANCEL = {
  purpose: 'Takes orders off the book, after showing them and asking.',
  usage: 'npm run orders -- cancel ORDER_ID… | --client ADDRESS | --token TOKEN_ID | --all [options]',
  options: {
    client,
    token: option('TOKEN_ID', 'only the orders for this outcome token'),
    all: flag('all orders of the account, also those that were placed elsewhere'),
    yes: flag('do not ask; needed without a terminal'),
    ...COMMON,
  },
  operands: true,
  notes: '--client cancels no order without a record. Exits with 1 if one still rests.\n',
} as const;

const FILLS = {
  purpose: 'Reports what was executed: a row for each fill, or the sums of each client.',
  usage: 'npm run orders -- fills [options]',
  options: {
    since: option('TIME', 'from this time on: RFC 3339, or a date for its midnight UTC'),
    until: option('TIME', 'before this time'),
    client,
    'by-client': flag('sum up by client'),
    ...COMMON,
  },
  notes: 'A fill of a trade whose settlement failed, and a fee that was computed, are marked.\n',
} as const;

const { format: _format, ...PLACE } = COMMON;

const FOLLOW = {
  purpose: 'Writes what becomes of each order, as it happens: one JSON event a line, until it is stopped.',
  usage: 'npm run orders -- follow [options]',
  options: {
    since: option(
      'TIME',
      'begin at this time, else two minutes ago, or with --webhook where it was: RFC 3339, or a date',
    ),
    interval: { ...option('SECONDS', 'the pause between two looks at the venue'), default: '5' },
    webhook: option('URL', 'send each event there instead, signed with ORDERS_WEBHOOK_SECRET'),
    ...PLACE,
  },
  notes: `With --webhook, what was reported is kept beside the store: a restart reports late what happened meanwhile. The same event may
come twice, and has the same id then. Events: docs/fills.md.
`,
} as const;

const POSITIONS = {
  purpose: 'Sums up what was bought and sold by token: net shares, average price, value and fees.',
  usage: 'npm run orders -- positions [options]',
  options: { client, 'by-client': flag('a row for each client and token'), ...COMMON },
  notes: `Only orders of this account count. The average price is the purchases', rounded down. A position is a sum of trades, not a
holding: redeemed, merged, split or moved shares are not in it. The shares of a resolved market are redeemed, not sold.
`,
} as const;

const DESK = {
  purpose: "The operator's desk: lists orders with their clients, their fills and positions, and cancels orders.",
  usage: `npm run orders -- COMMAND [options]`,
  options: {},
  notes: `  open                list the orders that rest at the venue
  show ORDER_ID       show an order with its record and its fills
  cancel ORDER_ID…    take orders off the book: these, those of a client or a token, or all
  fills               report what was executed, by fill or by client
  positions           sum it up by token, or by client and token
  follow              write what becomes of each order, as it happens

The options of a command: npm run orders -- COMMAND --help
With --paper, a command is about the session of npm run paper.
With SERVICE_WALLET_ADDRESS and the three SERVICE_CLOB_API_* the wallet key is not read.
`,
} as const;

type Common = Values<typeof PLACE> & { readonly format?: string };

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

function selectionOf({ client, token, all }: Values<typeof CANCEL.options>, operands: readonly string[]): Selection {
  const ids = operands.map(onlyId);
  const given = [ids.length > 0, client !== undefined, token !== undefined, all].filter(Boolean);
  if (given.length !== 1) throw new UsageError('Name orders, or one of --client, --token and --all.');
  if (token !== undefined && !isTokenId(token))
    throw new UsageError('--token must be the decimal id of an outcome token.');
  return { ids: [...new Set(ids)], client, token, all };
}

/** Opens the desk and does the work. A sentence for the operator ends it with 1. */
async function work(
  { format = 'table', ...where }: Common,
  { env, terminal }: { readonly env: Environment; readonly terminal: DeskTerminal },
  act: (desk: Desk) => Promise<number>,
): Promise<number> {
  const form = oneOf('format', format, FORMATS);
  const open = async (access: Access) => act({ access, venue: await openVenue(access), terminal, format: form });
  return workWith(where, { env, terminal }, open);
}

/** Finds the account and does the work with it. */
async function workWith(
  where: Where,
  { env, terminal }: { readonly env: Environment; readonly terminal: DeskTerminal },
  act: (access: Access) => Promise<number>,
): Promise<number> {
  checkWhere(where);
  try {
    return await act(await openAccess(where, env));
  } catch (error) {
    if (!(error instanceof DeskError || error instanceof ConfigError)) throw error;
    terminal.err(`${error.message}\n`);
    return 1;
  }
}

function onlyOrder(ids: readonly string[]): string {
  const [id, ...more] = ids.map(onlyId);
  if (id === undefined || more.length > 0) throw new UsageError('Name one order.');
  return id;
}

function periodOf({ since: from, until: to }: Values<typeof FILLS.options>) {
  const [since, until] = [timeOf('since', from), timeOf('until', to)];
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until.');
  }
  return { since, until };
}

/** Runs the command of a command line. Returns the exit code: 1 if something is not as asked, 2 for misuse. */
export async function runDesk(env: Environment, whole: DeskTerminal): Promise<number> {
  // Also before the command: `npm run orders -- --paper open`.
  const [first = '', ...others] = whole.args;
  const [name = '', ...args] = first === '--paper' && others.length > 0 ? [...others, first] : whole.args;
  const terminal = { ...whole, args };
  const here = { env, terminal };
  switch (name) {
    case 'open':
      return runCommand(OPEN, (values) => work(values, here, listOpen), terminal);
    case 'show': {
      const show = (values: Common, ids: readonly string[]) => {
        const id = onlyOrder(ids);
        return work(values, here, (desk) => showOrder(desk, id));
      };
      return runCommand(SHOW, show, terminal);
    }
    case 'cancel': {
      const cancel = (values: Values<typeof CANCEL.options>, ids: readonly string[]) => {
        const selection = selectionOf(values, ids);
        if (!values.yes && !terminal.ask) throw new UsageError('Without a terminal to ask at, --yes is needed.');
        const asking = { env, terminal: { ...terminal, ask: values.yes ? undefined : terminal.ask } };
        return work(values, asking, (desk) => cancelOrders(desk, selection));
      };
      return runCommand(CANCEL, cancel, terminal);
    }
    case 'fills': {
      const fills = (values: Values<typeof FILLS.options>) => {
        const { client, 'by-client': byClient } = values;
        const options = { ...periodOf(values), client, byClient, byToken: false };
        return work(values, here, (desk) => reportFills(desk, options));
      };
      return runCommand(FILLS, fills, terminal);
    }
    case 'follow': {
      const run = (values: Values<typeof FOLLOW.options>) => {
        const { since, interval, webhook, ...common } = values;
        if (webhook !== undefined && common.stack !== undefined)
          throw new UsageError(
            '--webhook is for a store in a file. For a deployment there is fillsTopic (docs/fills.md).',
          );
        const options = {
          since: timeOf('since', since),
          pauseMs: 1_000 * wholeNumber('interval', interval, [1, 3_600]),
          url: webhook === undefined ? undefined : receiverUrl(webhook),
          env: withSettingsFile(common.settings, env),
          isPaper: common.paper,
        };
        return workWith(common, here, (access) => followOrders(access, terminal, options));
      };
      return runCommand(FOLLOW, run, terminal);
    }
    case 'positions': {
      const positions = ({ client, 'by-client': byClient, ...common }: Values<typeof POSITIONS.options>) => {
        const options = { client, byClient: byClient || client !== undefined, byToken: true };
        return work(common, here, (desk) => reportFills(desk, options));
      };
      return runCommand(POSITIONS, positions, terminal);
    }
    default: {
      const misuse = () => {
        throw new UsageError('Name a command: open, show, cancel, fills, positions or follow.');
      };
      // The name of a misspelt command is wrong, whatever its options are.
      return runCommand(DESK, misuse, name.startsWith('-') ? whole : { ...whole, args: [] });
    }
  }
}
