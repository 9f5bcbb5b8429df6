/** The members of the venue's order as EIP-712 knows them (the venue's documentation), written down apart from the code. */
export const ORDER_TYPE = [
  ['salt', 'uint256'],
  ['maker', 'address'],
  ['signer', 'address'],
  ['tokenId', 'uint256'],
  ['makerAmount', 'uint256'],
  ['takerAmount', 'uint256'],
  ['side', 'uint8'],
  ['signatureType', 'uint8'],
  ['timestamp', 'uint256'],
  ['metadata', 'bytes32'],
  ['builder', 'bytes32'],
].map(([name = '', type = '']) => ({ name, type }));
