import { isRecord, type JsonObject, textOf } from './json.ts';
import { PageError } from './words.ts';

/** An account that the user has connected. Its key never leaves its wallet. */
export interface Account {
  readonly wallet: string;
  readonly address: string;
  /** Signs a text. Throws `PageError`, also if the wallet has changed its account before or while it signed. */
  sign(text: string): Promise<string | Uint8Array>;
}

/** A wallet in this browser. */
export interface Offer {
  readonly name: string;
  /** Asks the user to connect an account. Throws `PageError`. */
  connect(): Promise<Account>;
}

/** What the kinds of wallets do differently. */
interface Kind {
  readonly connect: () => unknown;
  /** Reads the address in the answer to `connect`, or else the one of the account that the wallet has now. */
  readonly addressIn: (answer?: unknown) => Promise<string | undefined>;
  readonly sign: (message: Uint8Array, address: string) => unknown;
  /** Reads the signature in the answer to `sign`; `undefined` for anything else, such as one of another text. */
  readonly signatureIn: (answer: unknown, message: Uint8Array) => string | Uint8Array | undefined;
}

/** Time that a user has for a window of the wallet; a wallet that hangs never answers. */
const WALLET_MS = 120_000;
const [MAX_NAME, MAX_REASON] = [30, 200];
const [CONNECT, SIGN] = ['standard:connect', 'solana:signMessage'];

/** Calls a method of another program; rejects where it has none of this name. */
async function call(owner: unknown, method: string, value?: unknown): Promise<unknown> {
  return Reflect.apply(Reflect.get(Object(owner), method), owner, value === undefined ? [] : [value]);
}
const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/** Waits for a wallet, for a limited time, and turns what it throws into a sentence. */
async function answerOf(name: string, asked: unknown): Promise<unknown> {
  const limit = new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${WALLET_MS / 1_000} s`)), WALLET_MS);
  });
  try {
    return await Promise.race([asked, limit]);
  } catch (error) {
    // EIP-1193: the user has refused.
    if (isRecord(error) && error['code'] === 4001) throw new PageError(`You refused it in ${name}.`);
    const reason = textOf(error, 'message')?.slice(0, MAX_REASON) ?? 'it gives no reason';
    throw new PageError(`${name} did not do it: ${reason}.`);
  }
}

function offerOf(info: unknown, { connect, addressIn, sign, signatureIn }: Kind): Offer {
  const name = (textOf(info, 'name') ?? 'A wallet').slice(0, MAX_NAME);

  /** Signs if the wallet still has the account, which the user may switch at any time. */
  async function signAs(address: string, text: string): Promise<string | Uint8Array> {
    const check = async () => {
      const now = await answerOf(name, addressIn());
      if (now === address) return;
      throw new PageError(`${name} has changed its account from ${address} to ${now ?? 'none'}: connect it again.`);
    };
    await check();
    const message = new TextEncoder().encode(text);
    const signature = signatureIn(await answerOf(name, sign(message, address)), message);
    await check();
    if (signature === undefined) throw new PageError(`${name} gave no signature of this text.`);
    return signature;
  }

  return {
    name,
    connect: async () => {
      const address = await addressIn(await answerOf(name, connect()));
      if (address === undefined) throw new PageError(`${name} gave no account that signs messages.`);
      return { wallet: name, address, sign: (text) => signAs(address, text) };
    },
  };
}

/** EIP-1193: MetaMask and other wallets of EVM chains. Which chain it is on does not matter to a signature. */
function evmWallet(provider: unknown): Kind {
  const request = (method: string, params: readonly unknown[] = []) => call(provider, 'request', { method, params });
  return {
    connect: () => request('eth_requestAccounts'),
    addressIn: async (accounts) => {
      const address = String(firstOf(accounts ?? (await request('eth_accounts'))));
      return /^0x[\da-f]{40}$/i.test(address) ? address.toLowerCase() : undefined;
    },
    sign: (message, address) => {
      const hex = [...message].map((byte) => byte.toString(16).padStart(2, '0'));
      return request('personal_sign', [`0x${hex.join('')}`, address]);
    },
    signatureIn: (answer) => (typeof answer === 'string' && /^0x(?:[\da-f]{2})+$/i.test(answer) ? answer : undefined),
  };
}

/** The Wallet Standard: Phantom and other wallets of Solana. */
function solanaWallet(wallet: JsonObject, features: JsonObject): Kind {
  const accountIn = (accounts: unknown) =>
    (Array.isArray(accounts) ? accounts : []).find(
      (account) => isRecord(account) && Array.isArray(account['features']) && account['features'].includes(SIGN),
    );
  return {
    connect: () => call(features[CONNECT], 'connect'),
    addressIn: async (answer) =>
      textOf(accountIn(isRecord(answer) ? answer['accounts'] : wallet['accounts']), 'address'),
    sign: (message) => call(features[SIGN], 'signMessage', { account: accountIn(wallet['accounts']), message }),
    signatureIn: (answer, message) => {
      const output = firstOf(answer);
      if (!isRecord(output) || !(output['signature'] instanceof Uint8Array)) return undefined;
      // A wallet may sign the text with a head of its own.
      return String(output['signedMessage']) === String(message) ? output['signature'] : undefined;
    },
  };
}

/** Finds the wallets of this browser, by EIP-6963 and by the Wallet Standard; calls `onOffer` once for each, also later. */
export function discoverWallets(onOffer: (offer: Offer) => void): void {
  const known = new Set<unknown>();
  const add = (wallet: unknown, info: unknown, kind: Kind) => {
    if (!known.has(wallet)) onOffer(offerOf(info, kind));
    known.add(wallet);
  };
  addEventListener('eip6963:announceProvider', (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (isRecord(detail)) add(detail['provider'], detail['info'], evmWallet(detail['provider']));
  });
  dispatchEvent(new Event('eip6963:requestProvider'));
  const register = (...wallets: readonly unknown[]) => {
    for (const wallet of wallets.filter(isRecord)) {
      const { features } = wallet;
      const isAble = isRecord(features) && features[CONNECT] && features[SIGN];
      if (isAble) add(wallet, wallet, solanaWallet(wallet, features));
    }
    return () => undefined;
  };
  addEventListener('wallet-standard:register-wallet', (event) => {
    if (event instanceof CustomEvent && typeof event.detail === 'function') event.detail({ register });
  });
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
}
