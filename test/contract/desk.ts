import { devNull } from 'node:os';
import { expect } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { type COMMANDS, runDesk } from '../../operator/commands/commands.ts';
import { desk, deskRows } from '../support/operator/desk.ts';
import { ALICE, type DeskWorld, OWN, QUESTION, SOLANA } from '../support/operator/desk-world.ts';
import { until } from '../support/until.ts';

const IN_MARKET = { market: expect.stringMatching(/^0x[0-9a-f]{64}$/), question: QUESTION, outcome: 'Yes' };

/** What each command of the desk does, beside a service. */
export const DESK: Readonly<
  Record<keyof typeof COMMANDS, readonly [clause: string, (world: DeskWorld) => Promise<void>]>
> = {
  open: [
    'lists the orders that rest with their clients, also orders without a record',
    async ({ at, place, trade }) => {
      const { env, yes } = at();
      const alice = await place({}, ALICE);
      const unnamed = await place({ price: '0.11' });
      const elsewhere = await trade(yes, 0.12, 10, Side.BUY, OWN);
      await place({ price: '0.53' }, SOLANA);
      const { code, rows } = await deskRows(['open'], env);
      const terms = { ...IN_MARKET, token_id: yes, side: 'buy', size: '10', filled_size: '0', status: 'live' };
      const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const nobody = { client_address: null, client_address_verified: null };
      const claimed = { client_address: ALICE, client_address_verified: false };
      expect([code, rows]).toStrictEqual([
        0,
        [
          { ...terms, since, order_id: alice.order_id, ...claimed, recorded: true, price: '0.1' },
          { ...terms, since, order_id: unnamed.order_id, ...nobody, recorded: true, price: '0.11' },
          { ...terms, since, order_id: elsewhere.orderID, ...nobody, recorded: false, price: '0.12' },
        ],
      ]);
      const { out } = await desk(['open'], env);
      for (const text of [alice.order_id, yes, `${ALICE} (claimed)`]) expect(out).toContain(text);
      expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    },
  ],
  show: [
    'prints the record, the order of the venue, and our fills',
    async ({ at, place, trade }) => {
      const { env, no } = at();
      const { order_id } = await place({ price: '0.52', size: '30', post_only: true }, ALICE);
      await trade(no, 0.48, 5, Side.BUY);
      const { code, rows } = await deskRows(['show', order_id.toUpperCase().replace('0X', '0x')], env);
      const ofRecord = {
        client_address: ALICE,
        recorded: true,
        post_only: true,
        expires_at: null,
        answer: 'placed, live',
      };
      const ofVenue = { side: 'buy', price: '0.52', size: '30', venue_status: 'live', filled_size: '5' };
      const fills = [{ order_id, outcome: 'Yes', side: 'buy', price: '0.52', size: '5', value: '2.6' }];
      expect([code, rows]).toMatchObject([0, [{ order_id, ...ofRecord, ...ofVenue, fills }]]);
      const { out } = await desk(['show', order_id], env);
      expect(out).toMatch(new RegExp(`^order_id +${order_id}\\nclient_address +${ALICE}\\n`));
      const csv = (await desk(['show', order_id, '--format', 'csv'], env)).out;
      expect(csv.split('\n')[1]).toContain(`${order_id},${ALICE},`);
    },
  ],
  cancel: [
    'shows the orders, asks, and reports the result',
    async ({ at, place, resting }) => {
      const { env } = at();
      const { order_id } = await place({}, ALICE);
      const other = await place({ price: '0.2' }, SOLANA);
      const declined = await desk(['cancel', order_id], env, { answer: 'n' });
      expect(declined).toMatchObject({ code: 1, out: '' });
      expect(declined.err).toMatch(
        new RegExp(`${order_id}.*Take 1 open order off the book\\? .*Nothing is cancelled`, 's'),
      );
      for (const text of [QUESTION, `${ALICE} (claimed)`]) expect(declined.err).toContain(text);
      expect(resting()).toHaveLength(2);
      const { code, rows } = await deskRows(['cancel', order_id], env, { answer: 'y' });
      expect([code, rows]).toMatchObject([
        0,
        [{ order_id, question: QUESTION, client_address: ALICE, result: 'cancelled', reason: null, rests: false }],
      ]);
      const again = await deskRows(['cancel', order_id, '--yes'], env);
      const reason = expect.stringMatching(/cancel/);
      expect([again.code, again.rows]).toMatchObject([
        0,
        [{ order_id, result: 'not_cancelled', reason, rests: false }],
      ]);
      expect(resting()).toStrictEqual([other.order_id]);
      const { err } = await desk(['cancel', '--all', '--yes'], env);
      for (const text of [QUESTION, `${SOLANA} (claimed)`]) expect(err).toContain(text);
      expect(err).not.toMatch(/unknown|not read/);
    },
  ],
  fills: [
    'lists fills with all cells, and sums them by client without trades whose settlement failed',
    async ({ at, control, place, trade }) => {
      const { env, yes } = at();
      const failed = await place({ price: '0.53' }, ALICE);
      const { order_id } = await place({ price: '0.53', size: '20' }, ALICE.toLowerCase());
      await place({ price: '0.53', size: '5' });
      await trade(yes, 0.53, 5, Side.BUY, OWN);
      await control('/paper/trades', { order_id: failed.order_id, status: 'FAILED' });
      const { rows } = await deskRows(['fills', '--by-client'], env);
      const bought = (size: string) => ({ bought: size, sold: '0', net: size, shares: size });
      expect(rows).toMatchObject([
        { client_address: ALICE.toLowerCase(), orders: 1, fills: 1, ...bought('20'), value: '10.6', fees: '0.19928' },
        { client_address: null, recorded: true, orders: 1, fills: 1, ...bought('5'), value: '2.65', fees: '0.04982' },
        { client_address: null, recorded: false, orders: 1, fills: 1, ...bought('5'), value: '2.65', fees: '0.04982' },
      ]);
      const ofAlice = await deskRows(['fills', '--client', ALICE], env);
      expect(ofAlice.rows[0]).toMatchObject({ status: 'failed', fee: null });
      expect(ofAlice.rows.slice(1)).toStrictEqual([
        {
          ...IN_MARKET,
          ...{ time: expect.stringMatching(/Z$/), client_address: ALICE.toLowerCase(), client_address_verified: false },
          ...{ caller: null, order_id, token_id: yes, side: 'buy', price: '0.53', size: '20', value: '10.6' },
          // 20 × 0.04 × 0.53 × 0.47
          ...{
            fee: '0.19928',
            fee_source: 'computed',
            trade_id: expect.any(String),
            status: 'confirmed',
            recorded: true,
          },
          transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        },
      ]);
      expect(Object.keys(ofAlice.rows[0] ?? {}).join()).toMatch(
        /^time,client_address,.*,trade_id,transaction_hash,status,recorded$/,
      );
      const { out, err } = await desk(['fills'], env);
      expect(out).toContain('\n3 fills of 3 orders: 30 shares, value 15.9, fees 0.29892.\n');
      expect(out).toMatch(/^time +side +price +size +value +fee +status\n/);
      for (const label of ['client', 'order', 'outcome', 'question', 'market', 'trade', 'transaction', 'fee is'])
        expect(out).toMatch(new RegExp(`^ {2}${label}(?: |$)`, 'm'));
      const sums = (await desk(['fills', '--by-client'], env)).out;
      expect(sums).toMatch(/^orders +fills +bought +sold +net +value +fees\n/);
      expect(err).toContain('1 fill not summed: the settlement failed.');
    },
  ],
  positions: [
    'sums up what was bought and sold of each token, of the account or of each client',
    async ({ at, control, place }) => {
      const { env, yes, no } = at();
      await place({ price: '0.53', size: '20' }, ALICE);
      await place({ price: '0.51', size: '30', side: 'sell' }, SOLANA);
      await place({ token_id: no, price: '0.49', size: '10' }, SOLANA);
      const failed = await place({ price: '0.53', size: '7' }, ALICE);
      await control('/paper/trades', { order_id: failed.order_id, status: 'FAILED' });
      const market = expect.stringMatching(/^0x/);
      const ofYes = { token_id: yes, market, question: QUESTION, outcome: 'Yes', resolved: false };
      const none = { bought: '0', sold: '0' };
      const alice = { orders: 1, fills: 1, ...none, bought: '20', net: '20', average_price: '0.53', value: '10.6' };
      const solana = { orders: 1, fills: 1, ...none, sold: '30', net: '-30', average_price: '0.51', value: '15.3' };
      const ofNo = { ...ofYes, token_id: no, outcome: 'No', orders: 1, fills: 1, fees: '0.09996' };
      const noOfSolana = { ...ofNo, ...none, bought: '10', net: '10', average_price: '0.49', value: '4.9' };
      const account = {
        orders: 2,
        fills: 2,
        bought: '20',
        sold: '30',
        net: '-10',
        average_price: '0.53',
        value: '25.9',
      };
      expect(await deskRows(['positions'], env)).toMatchObject({
        code: 0,
        rows: [{ ...ofYes, ...account, fees: '0.49916' }, noOfSolana],
      });
      const { rows } = await deskRows(['positions', '--by-client'], env);
      const known = { client_address_verified: false, recorded: true };
      expect(rows).toStrictEqual([
        { client_address: ALICE, ...known, ...ofYes, ...alice, fees: '0.19928' },
        { client_address: SOLANA, ...known, ...ofYes, ...solana, fees: '0.29988' },
        { client_address: SOLANA, ...known, ...noOfSolana },
      ]);
      expect((await deskRows(['positions', '--client', SOLANA], env)).rows).toStrictEqual(rows.slice(1));
      const csv = (await desk(['positions', '--client', SOLANA, '--format', 'csv'], env)).out;
      // A negative number is no formula.
      expect(csv.split('\n')[1]).toMatch(/,Yes,false,1,1,0,30,-30,0\.51,15\.3,0\.29988$/);
    },
  ],
  follow: [
    'writes the events of an order as it happens, one JSON object a line, until it is stopped',
    async ({ at, place }) => {
      const stopping = new AbortController();
      const lines: string[] = [];
      const terminal = {
        ...{ args: ['follow', '--interval', '1', '--settings', devNull], stop: stopping.signal },
        ...{ out: (line: string) => lines.push(line), err: () => undefined },
      };
      const ended = runDesk(at().env, terminal);
      const { order_id } = await place({ price: '0.53' }, ALICE);
      await until(() => lines.length >= 2);
      stopping.abort();
      expect(await ended).toBe(0);
      const ofOrder = { order_id, client_address: ALICE, question: QUESTION, size: '10', filled_size: '10' };
      expect(lines.map((line) => JSON.parse(line))).toMatchObject(
        ['order.filled', 'order.settled'].map((type) => ({ type, data: ofOrder })),
      );
    },
  ],
};
