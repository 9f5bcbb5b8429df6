// Contracts as runtime code, written by hand: each line is an instruction or a group of them, with its meaning.

/** Ends with the word on the stack as the answer. */
const RETURN_WORD = '6000 52 6020 6000 f3';

/**
 * A wallet of one owner:
 *
 *   function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
 *     return ecrecover(hash, v, r, s) == OWNER ? 0x1626ba7e : bytes4(0);
 *   }
 */
function walletOf(owner: string): string {
  return `
    6000 35 60e0 1c 63 1626ba7e 14 6014 57   if the selector is not that of isValidSignature
    6000 6000 fd 5b                          revert without data
    6004 35 6000 52                          memory 0x00: the hash
    60a4 35 60f8 1c 6020 52                  memory 0x20: v, the byte after r and s
    6064 35 6040 52                          memory 0x40: r
    6084 35 6060 52                          memory 0x60: s
    6020 6080 6080 6000 6001 5a fa 50        ecrecover, its answer to memory 0x80
    6080 51 73 ${owner.slice(2)} 14          1 for the owner, else 0
    63 1626ba7e 02 60e0 1b                   times the magic value, in the first four bytes
    ${RETURN_WORD}`;
}

/** Reverts with the error of a reason, as `require` of Solidity does: Error("no"). */
const REASON = `
    63 08c379a0 60e0 1b 6000 52              the selector of Error(string)
    6020 6004 52                             offset of the text
    6002 6024 52                             its length
    61 6e6f 60f0 1b 6044 52                  the text
    6064 6000 fd                             revert`;

/** What the contracts do with each call, by their names. */
export const contractsOf = (owner: string) => ({
  wallet: walletOf(owner),
  /** `0xffffffff`, as many wallets refuse. */
  refuses: `63 ffffffff 60e0 1b ${RETURN_WORD}`,
  reverts: '6000 6000 fd',
  'reverts with a reason': REASON,
  'burns its gas': '5b 6000 56',
  'returns a megabyte': '62 100000 6000 f3',
  'breaks off': 'fe',
  /** Takes any call, as the fallback of a contract without `isValidSignature` may. */
  'returns nothing': '00',
});

/** The name of a contract. */
export type ContractName = keyof ReturnType<typeof contractsOf>;

/** Reads code with comments: of each line, the groups of hex digits before its first word. */
export function assemble(code: string): `0x${string}` {
  const lines = code.split('\n').map((line) => /^\s*((?:[0-9a-fA-F]{2,40}(?:\s|$))*)/.exec(line)?.[1] ?? '');
  return `0x${lines.join('').replaceAll(/\s/g, '')}`;
}
