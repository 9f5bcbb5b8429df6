import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** The description of an order in the signature of a deposit wallet (ERC-7739), which is there as hex digits. */
const DESCRIBED = Buffer.from(
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
    'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)',
).toString('hex');

const NOTHING = `\\"0x${'0'.repeat(64)}\\",`;

/**
 * Texts that most records have, the most frequent ones last. Packed records can be read with these very characters alone:
 * other texts would be a new form of a record.
 */
const COMMON = Buffer.from(
  `${DESCRIBED}"state":"finished","answer":{"result":"refused","code":"detail":"facts":{"venueReason":"` +
    '"result":"placed","placement":{"status":"matched","filledSize":"0","remainingSize":"filledValue":"0",' +
    '"transactionHashes":["0x"],"tradeIds":[""]}},"keepUntil":1' +
    '{"version":2,"state":"unfinished","orderId":"0x","order":{"orderId":"0x","tokenId":"","conditionId":"0x' +
    '","postOnly":true,"payload":"{\\"salt\\":1,\\"maker\\":\\"0x\\",\\"signer\\":\\"0x\\",\\"tokenId\\":\\"' +
    '\\",\\"makerAmount\\":\\"000000\\",\\"takerAmount\\":\\"0000000\\",\\"side\\":\\"SELL\\",\\"side\\":\\"BUY\\",' +
    `\\"signatureType\\":0,\\"timestamp\\":\\"1\\",\\"expiration\\":\\"0\\",\\"metadata\\":${NOTHING}\\"builder\\":${NOTHING}` +
    '\\"signature\\":\\"0x"}"},"signing":{"for":{"venue":"https://clob.polymarket.com","chainId":137,"maker":"0x",' +
    '"signatureType":"deposit-wallet"safe"proxy"eoa"},"notional":"","at":1,"expiresAt":null},"fingerprint":"' +
    '","walletAddress":"0x","lease":{"owner":"","until":1},"counted":true,"counted":false,"unprovenAt":1,"freed":false}',
);

/** Far above any record: what unpacks to more is not one. An item of DynamoDB is about as long at most. */
const MAX_BYTES = 400_000;

/** Packs the text of a record: one of an order that rests takes a third of its bytes. Throws on what would not unpack. */
export function packRecord(text: string): Uint8Array {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new RangeError('a record is too long to be kept');
  return deflateRawSync(text, { dictionary: COMMON });
}

/** Gives the text that was packed; throws on anything else. */
export function unpackRecord(packed: Uint8Array): string {
  return inflateRawSync(packed, { dictionary: COMMON, maxOutputLength: MAX_BYTES }).toString('utf8');
}
