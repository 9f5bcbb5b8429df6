import { ask, make, makeButton, makeFacts, part } from './dom.ts';
import { describeOrder, formatMoney, formatTime, shortAddress } from './figures.ts';
import type { KeptOrder } from './journal.ts';
import { type Account, discoverWallets, type Offer } from './wallets.ts';
import { PageError } from './words.ts';

/** Creates the row of the ticket in which the user connects a wallet; calls `onChange` after each change. */
export function createWalletRow(isRequired: boolean, onChange: () => void) {
  const [row, offers]: [HTMLElement, Offer[]] = [part('wallet'), []];
  let account: Account | undefined;
  let [step, trouble] = [0, ''];

  function show(...content: readonly (Node | string)[]): void {
    row.hidden = !isRequired && offers.length === 0;
    row.replaceChildren(...content, make('p', { class: 'error', role: 'alert' }, trouble));
  }

  const back = (label: string) => makeButton(label, () => change());

  function change(next?: Account): void {
    [account, step] = [next, step + 1];
    if (next) {
      const short = make('b', { title: next.address }, shortAddress(next.address));
      show(make('span', {}, isRequired ? 'Signs as ' : 'Client ', short, ` in ${next.wallet}`), back('Change'));
    } else if (offers.length === 0) show('No wallet was found in this browser.');
    else show(...offers.map((offer) => makeButton(`Connect ${offer.name}`, () => void connect(offer))));
    // Runs after the caller has the row.
    queueMicrotask(onChange);
  }

  async function connect(offer: Offer): Promise<void> {
    trouble = '';
    show(`Waiting for ${offer.name}…`, back('Stop'));
    const started = step;
    const found = await offer.connect().catch(({ message }: Error) => {
      trouble = message;
    });
    // The user may have stopped it.
    if (step === started) change(found ?? undefined);
  }

  change();
  discoverWallets((offer) => {
    offers.push(offer);
    if (!account) change();
  });
  return { account: () => account };
}

/** Describes an order in words: what a wallet signs names its token alone. */
function factsOf({ order, outcome, market, bound }: KeptOrder) {
  const [isBuy, { expires_at: end }] = [order.side === 'buy', order];
  const sum = bound === undefined ? 'not known: the fee is not published' : `${formatMoney(bound, isBuy)}, with fee`;
  return {
    Market: market,
    Order: describeOrder({ ...order, outcome }),
    [isBuy ? 'Costs at most' : 'Brings at least']: sum,
    Ends: end === undefined ? 'when it is cancelled' : formatTime(new Date(end)),
  };
}

/** Returns what signs an order with a wallet, and shows each text to the user before the wallet does, and calls `onAsked`. */
export function signerOf({ wallet, address, sign }: Account, kept: KeptOrder, onAsked: () => void) {
  let question = `Sign this order in ${wallet}?`;
  const signMessage = async (text: string) => {
    const about = [makeFacts(factsOf(kept)), make('p', { class: 'hint' }, `${wallet} shows:`), make('pre', {}, text)];
    const isMeant = await ask(question, `Sign in ${wallet}`, about);
    onAsked();
    if (!isMeant) throw new PageError('You did not sign it.');
    // The client asks again by the time of the service.
    question = `The service did not take the signature: another account's, or a wrong clock. Sign it once more?`;
    return sign(text);
  };
  return { address, signMessage };
}
