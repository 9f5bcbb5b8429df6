import * as z from 'zod/mini';
import { isTokenId } from '../../shared/decimal.ts';
import { ConfigError, KEY_LIKE } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { flag, oneOf, option, runCommand, UsageError, type Values } from '../command-line.ts';
import type { Selection } from './cancel.ts';
import type { Desk, DeskTerminal } from './desk.ts';
import type { FillsOptions } from './fills.ts';
import { FORMATS } from './output.ts';

const COMMON = {
  format: { ...option('FORMAT', 'table, csv or json'), default: 'table' },
  settings: option('FILE', "read FILE instead of .env in the project's folder"),
  stack: option('NAME', "take a deployment's table and secret, from the outputs of its stack"),
  region: option('REGION', "its region, where the environment's is another"),
  secret: option('NAME', 'with --stack: another secret, which needs no wallet key'),
} as const;

const client = option('ADDRESS', 'only the orders of this client, by the records');

const OPEN = {
  purpose: 'Lists the orders that rest at the venue, and whose they are.',
  usage: 'npm run orders -- open [options]',
  options: COMMON,
  notes: 'Example: npm run -s orders -- open --format csv > open.csv\n',
} as const;

const SHOW = {
  purpose: 'Shows an order: its record, what the venue knows of it, and each of its fills.',
  usage: 'npm run orders -- show ORDER_ID [options]',
  options: COMMON,
  operands: true,
  notes: `Example: npm run orders -- show 0x${'a1'.repeat(32)}\n`,
} as const;

const CANCEL = {
  purpose: 'Takes orders off the book, after showing them and asking.',
  usage: 'npm run orders -- cancel ORDER_ID… | --client ADDRESS | --token TOKEN_ID | --all [options]',
  options: {
    client,
    token: option('TOKEN_ID', 'only the orders for this outcome token'),
    all: flag('all orders of the account, also those that were placed elsewhere'),
    yes: flag('do not ask; needed where there is no terminal'),
    ...COMMON,
  },
  operands: true,
  notes: `Example: npm run orders -- cancel --all --yes
Orders that the records do not know are never cancelled by --client. Exits with 1 if one still rests.
`,
} as const;

const FILLS = {
  purpose: 'Reports what was executed: a row for each fill, or the sums of each client.',
  usage: 'npm run orders -- fills [options]',
  options: {
    since: option('TIME', 'from then on: RFC 3339, or a date alone for its midnight UTC'),
    until: option('TIME', 'before then'),
    client,
    'by-client': flag('sum up by client'),
    ...COMMON,
  },
  notes: `Example: npm run orders -- fills --since 2026-11-01 --until 2026-12-01 --by-client
A fill of a trade whose settlement failed is marked and in no sum. The venue states no fees with its trades: one that
was computed from the fees of the market says so.
`,
} as const;

const DESK = {
  purpose: "The operator's desk: who ordered what, what came of it, and everything off the book.",
  usage: `npm run orders -- COMMAND [options]
       order-book-adapter orders COMMAND [options]    in the package`,
  options: {},
  notes: `  open                list the orders that rest at the venue
  show ORDER_ID       show an order with its record and its fills
  cancel ORDER_ID…    take orders off the book: these, those of a client or a token, or all
  fills               report what was executed, by fill or by client

Each has its options: npm run orders -- COMMAND --help
With SERVICE_WALLET_ADDRESS and the three SERVICE_CLOB_API_* it does without the wallet key.
`,
} as const;

type Common = Values<typeof COMMON>;

function onlyId(id: string): string {
  if (!/^0x[0-9a-f]{64}$/i.test(id)) throw new UsageError('An order id is 0x and 64 hex digits.');
  return id.toLowerCase();
}

const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Reads a time; `undefined` for none. */
function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const { data } = TIME.safeParse(text.toUpperCase());
  // A date alone is its midnight in UTC.
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
  { settings, stack, region, secret, format }: Common,
  { env, terminal }: { readonly env: Environment; readonly terminal: DeskTerminal },
  act: (desk: Desk) => Promise<number>,
): Promise<number> {
  const form = oneOf('format', format, FORMATS);
  if (stack === undefined && (region ?? secret) !== undefined)
    throw new UsageError('--region and --secret need --stack.');
  // A wallet key given as a name would be printed, and perhaps sent.
  if ([stack, secret, settings].some((name) => name !== undefined && KEY_LIKE.test(name))) {
    throw new UsageError('--stack, --secret and --settings take names, not a key.');
  }
  if (stack !== undefined && settings !== undefined) throw new UsageError('--settings and --stack exclude each other.');
  // Loaded only here: `--help` does without.
  const [{ openAccess, DeskError }, { openVenue }] = await Promise.all([import('./access.ts'), import('./venue.ts')]);
  try {
    const access = await openAccess({ settings, stack, region, secret }, env);
    return await act({ access, venue: await openVenue(access), terminal, format: form });
  } catch (error) {
    if (!(error instanceof DeskError || error instanceof ConfigError)) throw error;
    terminal.progress('');
    terminal.err(`${error.message}\n`);
    return 1;
  }
}

type FillsValues = Values<typeof FILLS.options>;

function fillsOptionsOf({ since: from, until: to, client: address, 'by-client': byClient }: FillsValues): FillsOptions {
  const since = timeOf('since', from);
  const until = timeOf('until', to);
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until.');
  }
  return { since, until, client: address, byClient };
}

/** Runs the desk as its command line says. Returns the exit code: 1 where something is not as asked, 2 for misuse. */
export async function runDesk(env: Environment, terminal: DeskTerminal): Promise<number> {
  const [name = '', ...args] = terminal.args;
  const own = { ...terminal, args };
  const here = { env, terminal };
  switch (name) {
    case 'open': {
      const run = (values: Common) => work(values, here, async (desk) => (await import('./desk.ts')).listOpen(desk));
      return runCommand(OPEN, run, own);
    }
    case 'show': {
      const run = (values: Common, ids: readonly string[]) => {
        const [id, ...more] = ids.map(onlyId);
        if (id === undefined || more.length > 0) throw new UsageError('Name one order.');
        return work(values, here, async (desk) => (await import('./show.ts')).showOrder(desk, id));
      };
      return runCommand(SHOW, run, own);
    }
    case 'cancel': {
      const run = (values: Values<typeof CANCEL.options>, ids: readonly string[]) => {
        const selection = selectionOf(values, ids);
        if (!values.yes && !terminal.ask) throw new UsageError('There is nobody to ask: --yes is needed.');
        const asking = { ...here, terminal: { ...terminal, ask: values.yes ? undefined : terminal.ask } };
        return work(values, asking, async (desk) => (await import('./cancel.ts')).cancelOrders(desk, selection));
      };
      return runCommand(CANCEL, run, own);
    }
    case 'fills': {
      const run = (values: FillsValues) => {
        const options = fillsOptionsOf(values);
        return work(values, here, async (desk) => (await import('./fills.ts')).reportFills(desk, options));
      };
      return runCommand(FILLS, run, own);
    }
    default: {
      const run = () => {
        throw new UsageError('Name a command: open, show, cancel or fills.');
      };
      // The options of a misspelt command are not looked at: its name is what is wrong.
      return runCommand(DESK, run, name.startsWith('-') ? terminal : { ...terminal, args: [] });
    }
  }
}
