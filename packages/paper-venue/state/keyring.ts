import { digest, uuidOf } from '../exchange/seeded.ts';

/** API credentials; `address` is the EOA they belong to, in lower case. */
export interface Credentials {
  readonly address: string;
  readonly apiKey: string;
  /** URL-safe base64 of the 32 bytes that key the HMAC. */
  readonly secret: string;
  readonly passphrase: string;
}

/** API keys that exist. The triple of an address and a nonce is always the same, as at the venue. */
export class Keyring {
  readonly #seed: number;
  readonly #byKey = new Map<string, Credentials>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  find(apiKey: string): Credentials | undefined {
    return this.#byKey.get(apiKey);
  }

  /** Returns the credentials of an address and nonce; undefined before they are created. */
  of(address: string, nonce: string): Credentials | undefined {
    return this.#byKey.get(this.#triple(address, nonce).apiKey);
  }

  all(address: string): readonly Credentials[] {
    return [...this.#byKey.values()].filter((credentials) => credentials.address === address);
  }

  create(address: string, nonce: string): void {
    const credentials = this.#triple(address, nonce);
    this.#byKey.set(credentials.apiKey, credentials);
  }

  remove(apiKey: string): void {
    this.#byKey.delete(apiKey);
  }

  #triple(address: string, nonce: string): Credentials {
    return {
      address,
      apiKey: uuidOf('api key', this.#seed, address, nonce),
      // Standard base64 made URL-safe with its padding kept, as the venue writes secrets.
      secret: digest('secret', this.#seed, address, nonce).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
      passphrase: digest('passphrase', this.#seed, address, nonce).toString('hex'),
    };
  }
}
