import { Chain, ClobClient, type SignatureTypeV2 } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';

/** An invented key: never used outside tests. */
export const WALLET = new Wallet(`0x${'5a'.repeat(32)}`);

type Fields = Record<string, { name: string; type: string }[]>;

/** An ethers 6 wallet in the shape that the official client takes. */
export function clientSigner(wallet: Wallet) {
  return {
    getAddress: () => wallet.getAddress(),
    _signTypedData: (domain: Record<string, unknown>, types: Fields, value: Record<string, unknown>) =>
      wallet.signTypedData(domain, types, value),
  };
}

/** Base address of a paper venue. */
interface PaperAddress {
  readonly url: string;
}

/** An account at the paper venue. */
export interface Account {
  readonly wallet?: Wallet;
  readonly signatureType?: SignatureTypeV2;
  readonly funderAddress?: string;
}

function options({ url }: PaperAddress, { wallet = WALLET, signatureType, funderAddress }: Account) {
  const kind = signatureType === undefined ? {} : { signatureType };
  const funder = funderAddress === undefined ? {} : { funderAddress };
  return { host: url, chain: Chain.POLYGON, signer: clientSigner(wallet), throwOnError: true, ...kind, ...funder };
}

/** The official client with credentials made or derived on the paper venue. */
export async function officialClient(paper: PaperAddress, account: Account = {}) {
  const base = options(paper, account);
  const creds = await new ClobClient({ ...base, throwOnError: false }).createOrDeriveApiKey();
  return { client: new ClobClient({ ...base, creds }), creds };
}
