import { Wallet } from 'ethers';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { Secret } from '../../../shared/secret.ts';
import { signOrder } from '../../../shared/venue/polymarket/sign-order.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';
import { ORDER_TYPE } from '../../support/order-type.ts';
import { median } from '../statistics.ts';
import { TOKEN_ID } from '../venue/records.ts';

/** Signs orders with the service's code and with ethers alone, in turn, and writes the milliseconds of one of each. */
const { BENCH_PRIVATE_KEY = '', BENCH_COUNT } = process.env;
const BLOCK = 20;

const wallet = openWallet(new Secret(BENCH_PRIVATE_KEY));
const account = { wallet, signatureType: 'eoa', funderAddress: wallet.address } as const;
const decimal = (text: string) => parseDecimal(text) ?? ZERO;
const order = {
  tokenId: TOKEN_ID,
  side: 'buy',
  price: decimal('0.51'),
  size: decimal('10'),
  postOnly: true,
  expiresAt: null,
} as const;
const rules = {
  tickSize: decimal('0.01'),
  minOrderSize: decimal('5'),
  negRisk: false,
  protocol: 'v1',
  conditionId: null,
} as const;

const ethers = new Wallet(BENCH_PRIVATE_KEY);
const domain = {
  name: 'Polymarket CTF Exchange',
  version: '2',
  chainId: 137,
  verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B',
};
const types = { Order: ORDER_TYPE };
const zeros = `0x${'00'.repeat(32)}`;

function signWithEthers(): Promise<string> {
  return ethers.signTypedData(domain, types, {
    salt: Math.round(Math.random() * Date.now()),
    maker: wallet.address,
    signer: wallet.address,
    tokenId: TOKEN_ID,
    makerAmount: '5100000',
    takerAmount: '10000000',
    side: 0,
    signatureType: 0,
    timestamp: String(Date.now()),
    metadata: zeros,
    builder: zeros,
  });
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < BLOCK; index += 1) await act();
  return (performance.now() - startedAt) / BLOCK;
}

async function measure(count: number) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let done = 0; done < count; done += BLOCK) {
    theirs.push(await timeOf(signWithEthers));
    ours.push(await timeOf(() => signOrder(order, rules, account, { now: { venue: Date.now(), own: Date.now() } })));
  }
  return { ours: median(ours), ethers: median(theirs) };
}

await measure(400);
process.stdout.write(JSON.stringify(await measure(Number(BENCH_COUNT))));
