import { Wallet as EthersWallet } from 'ethers';
import { fromUnits, ZERO } from '../../shared/decimal.ts';
import { Secret } from '../../shared/secret.ts';
import { SIGNATURE_TYPES, type SignatureType } from '../../shared/settings/table.ts';
import { CHAIN_ID, deriveAccounts } from '../../shared/venue/polymarket/accounts.ts';
import { openWallet, signOrder } from '../inspection/inspection.ts';
import { type CheckResult, fail, ok, skip } from './run.ts';

/** The version of the official client that is installed with this service. */
export const OFFICIAL_VERSION = '1.1.0';

/** An invented key: the official client brings hundreds of modules, which have no business beside the real one. */
const KEY = `0x${'c1'.repeat(32)}`;
const OURS = openWallet(new Secret(KEY));
const THEIRS = new EthersWallet(KEY);

/** Signs in the shape that the official client asks for. */
const SIGNER = {
  getAddress: async () => THEIRS.address,
  _signTypedData: (domain: object, types: Record<string, { name: string; type: string }[]>, value: object) =>
    THEIRS.signTypedData(domain, types, { ...value }),
};

/** A token of each exchange: those of protocol v2 have 64 reserved bits, all zero. */
const EXCHANGES = [
  { name: 'plain', tokenId: '7'.repeat(77), negRisk: false, protocol: 'v1', version: 2 },
  { name: 'neg-risk', tokenId: '7'.repeat(77), negRisk: true, protocol: 'v1', version: 2 },
  { name: 'protocol v2', tokenId: String(1n << 248n), negRisk: false, protocol: 'v2', version: 3 },
] as const;

/** The account of each kind that the key has. */
const ACCOUNTS = new Map(deriveAccounts(OURS.address).map(({ signatureType, address }) => [signatureType, address]));

type Official = typeof import('@polymarket/clob-client-v2');

/** Returns true where both sign one order with the same bytes. */
async function isEqual(
  { OrderBuilder, OrderType, orderToJsonV2, Side }: Official,
  { tokenId, negRisk, protocol, version }: (typeof EXCHANGES)[number],
  signatureType: SignatureType,
  builderCode: string | undefined,
): Promise<boolean> {
  const funderAddress = ACCOUNTS.get(signatureType) ?? OURS.address;
  const builder = new OrderBuilder(SIGNER, CHAIN_ID, SIGNATURE_TYPES.indexOf(signatureType), funderAddress);
  const terms = { tokenID: tokenId, price: 0.37, size: 12.34, side: Side.BUY, ...(builderCode && { builderCode }) };
  const signed = await builder.buildOrder(terms, { tickSize: '0.01', negRisk }, version);
  // An order of the first CLOB, which is gone.
  if ('nonce' in signed) return false;
  const theirs = orderToJsonV2(signed, '', OrderType.GTC).order;
  const [price, size] = [fromUnits(37n, 2), fromUnits(1_234n, 2)];
  const { payload } = await signOrder(
    { tokenId, side: 'buy', price, size, postOnly: false, expiresAt: null },
    { tickSize: fromUnits(1n, 2), minOrderSize: ZERO, negRisk, protocol, conditionId: null },
    { wallet: OURS, signatureType, funderAddress, builderCode },
    { now: { venue: Number(theirs.timestamp), own: 0 }, salt: theirs.salt },
  );
  return payload === JSON.stringify(theirs);
}

/** Compares our signatures with those of the official client, for each exchange and each kind of account. */
export async function checkSignatures(
  builderCode: string | undefined,
  load: () => Promise<Official> = () => import('@polymarket/clob-client-v2'),
): Promise<CheckResult> {
  let official: Official;
  try {
    official = await load();
  } catch {
    return skip('The official client (@polymarket/clob-client-v2) is not installed.');
  }
  const pairs = EXCHANGES.flatMap((exchange) => SIGNATURE_TYPES.map((type) => [exchange, type] as const));
  const different: string[] = [];
  for (const [exchange, type] of pairs) {
    if (!(await isEqual(official, exchange, type, builderCode))) different.push(`${exchange.name} as ${type}`);
  }
  const client = `@polymarket/clob-client-v2 ${OFFICIAL_VERSION}`;
  if (different.length === 0)
    return ok(`Orders are signed byte for byte as by ${client}, for every exchange and account.`);
  return fail(
    `Orders are signed otherwise than by ${client}: ${different.join(', ')}.`,
    'Place none, and update this service.',
  );
}
