import { AbiCoder, concat, keccak256, solidityPackedKeccak256, toBeHex } from 'ethers';

/** Signature types by the venue's numbers: 0 plain key, 1 proxy, 2 Safe, 3 deposit wallet. */
export type SignatureType = 0 | 1 | 2 | 3;

const FACTORIES = {
  proxy: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
  safe: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
  depositWallet: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
};
const PROXY_IMPLEMENTATION = '0x44e999d5c2F66Ef0861317f9A4805AC2e90aEB4f';
const SAFE_CODE_HASH = '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf';

/** Deposit wallets of today and those made before 29 June 2026: what they run, and the code around its address. */
const DEPOSIT_WALLETS = [
  {
    prefix: 0x6100523d8160233d3973n,
    runs: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
    code: '0x60195155f3363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
  },
  {
    prefix: 0x61003d3d8160233d3973n,
    runs: '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
    code: '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  },
];

/** CREATE2 (EIP-1014). */
function created(factory: string, salt: string, codeHash: string): string {
  return `0x${keccak256(concat(['0xff', factory, salt, codeHash])).slice(-40)}`;
}

/** The code that makes a proxy: a clone of the implementation, and the call that its factory makes of it. */
function proxyCode(): string {
  const call = AbiCoder.defaultAbiCoder().encode(['bytes'], ['0x']);
  return concat([
    '0x3d3d606380380380913d393d73',
    FACTORIES.proxy,
    '0x5af4602a57600080fd5b602d8060366000396000f3363d3d373d3d3d363d73',
    PROXY_IMPLEMENTATION,
    '0x5af43d82803e903d91602b57fd5bf352e831dd',
    call,
  ]);
}

/**
 * Computes the addresses that the key of an EOA may trade for, in lower case: two for deposit wallets, else one. The
 * formulas are those of the venue's contracts (https://github.com/Polymarket/ctf-exchange, PolyProxyLib and
 * PolySafeLib) and of its SDK (https://github.com/Polymarket/ts-sdk, packages/client/src/wallet.ts).
 */
export function fundersOf(eoa: string, signatureType: SignatureType): readonly string[] {
  const { proxy, safe, depositWallet } = FACTORIES;
  const abi = AbiCoder.defaultAbiCoder();
  if (signatureType === 0) return [eoa.toLowerCase()];
  if (signatureType === 1) return [created(proxy, solidityPackedKeccak256(['address'], [eoa]), keccak256(proxyCode()))];
  if (signatureType === 2) return [created(safe, keccak256(abi.encode(['address'], [eoa])), SAFE_CODE_HASH)];
  const args = abi.encode(['address', 'uint256'], [depositWallet, BigInt(eoa)]);
  // The number of bytes of the arguments stands within the prefix.
  const length = BigInt((args.length - 2) / 2) << 56n;
  return DEPOSIT_WALLETS.map(({ prefix, runs, code }) => {
    const init = concat([toBeHex(prefix + length, 10), runs, code, args]);
    return created(depositWallet, keccak256(args), keccak256(init));
  });
}
