import { Wallet as EthersWallet } from 'ethers';
import { SIGNATURE_TYPES, type SignatureType } from '../../shared/account.ts';
import { parseDecimal, ZERO } from '../../shared/decimal.ts';
import { Secret } from '../../shared/secret.ts';
import { CHAIN_ID, deriveAccounts } from '../../shared/venue/polymarket/accounts.ts';
import { signOrder } from '../../shared/venue/polymarket/sign-order.ts';
import { openWallet } from '../../shared/wallets/evm-key.ts';
import { type CheckResult, fail, ok } from './run.ts';

type Official = typeof import('@polymarket/clob-client-v2');

/** An invented key: the real one is not handed to the official client. */
const KEY = `0x${'c1'.repeat(32)}`;
const OURS = openWallet(new Secret(KEY));
const THEIRS = new EthersWallet(KEY);
const ACCOUNTS = new Map(deriveAccounts(OURS.address).map(({ signatureType, address }) => [signatureType, address]));

/** A token of each exchange: those of protocol v2 have 64 reserved bits, all zero. */
const EXCHANGES = [
  { name: 'plain', tokenId: '7'.repeat(77), negRisk: false, protocol: 'v1', version: 2 },
  { name: 'neg-risk', tokenId: '7'.repeat(77), negRisk: true, protocol: 'v1', version: 2 },
  { name: 'protocol v2', tokenId: String(1n << 248n), negRisk: false, protocol: 'v2', version: 3 },
] as const;

const [PRICE, SIZE, TICK] = ['0.37', '12.34', '0.01'] as const;
const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** Returns true if the official client and this service sign one order with the same bytes. */
async function isEqual(
  { OrderBuilder, OrderType, orderToJsonV2, Side }: Official,
  { tokenId, negRisk, protocol, version }: (typeof EXCHANGES)[number],
  signatureType: SignatureType,
): Promise<boolean> {
  const signer = {
    getAddress: async () => THEIRS.address,
    _signTypedData: (domain: object, types: Record<string, { name: string; type: string }[]>, value: object) =>
      THEIRS.signTypedData(domain, types, { ...value }),
  };
  const funderAddress = ACCOUNTS.get(signatureType) ?? OURS.address;
  const builder = new OrderBuilder(signer, CHAIN_ID, SIGNATURE_TYPES.indexOf(signatureType), funderAddress);
  const terms = { tokenID: tokenId, price: Number(PRICE), size: Number(SIZE), side: Side.BUY };
  const signed = await builder.buildOrder(terms, { tickSize: TICK, negRisk }, version);
  if ('nonce' in signed) return false;
  const theirs = orderToJsonV2(signed, '', OrderType.GTC).order;
  const { payload } = await signOrder(
    { tokenId, side: 'buy', price: PRICE, size: SIZE, postOnly: false, expiresAt: null },
    { tickSize: decimal(TICK), minOrderSize: ZERO, negRisk, protocol, conditionId: null },
    { wallet: OURS, signatureType, funderAddress },
    { now: Number(theirs.timestamp), salt: theirs.salt },
  );
  return payload === JSON.stringify(theirs);
}

/** Compares our signatures with those of the installed official client, for each exchange and each kind of account. */
export async function checkSignatures(
  load: () => Promise<Official> = () => import('@polymarket/clob-client-v2'),
): Promise<CheckResult> {
  const official = await load();
  const different: string[] = [];
  for (const exchange of EXCHANGES) {
    for (const type of SIGNATURE_TYPES) {
      if (!(await isEqual(official, exchange, type))) different.push(`${exchange.name} as ${type}`);
    }
  }
  if (different.length === 0)
    return ok('The bytes of an order equal those of the official client, for every exchange and account.');
  return fail(
    `The bytes of an order differ from those of the official client: ${different.join(', ')}.`,
    'Place no order, and update this service.',
  );
}
