import * as z from 'zod/mini';
import { LOG_LEVELS } from '../log.ts';
import { CLOB_KEY, CLOB_PASSPHRASE, CLOB_SECRET, PRIVATE_KEY } from './credentials.ts';
import {
  ADDRESS,
  AMOUNT,
  AUTHORITY,
  BYTES32,
  CONSENT,
  FLAG,
  type Format,
  HOST,
  HOSTS,
  matching,
  OPT_IN,
  ORIGINS,
  oneOf,
  PORT,
  STORE,
  SUBJECTS,
  TABLE,
  TEXT,
  UPSTREAM,
  wholeNumber,
} from './formats.ts';

/** The kinds of account that hold the funds (the venue's signature types 0 to 3). */
export const SIGNATURE_TYPES = ['eoa', 'proxy', 'safe', 'deposit-wallet'] as const;
/** A kind of account. */
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** The callers from whom a deployment takes orders: `iam` and `jwt` are checked by the gateway. */
export const ORDER_ACCESSES = ['iam', 'jwt', 'public'] as const;
/** The callers from whom a deployment takes orders. */
export type OrderAccess = (typeof ORDER_ACCESSES)[number];

/** Second confirmation that anyone with a wallet, or with an account at the token issuer, may order. */
export const PUBLIC_CONSENT = 'yes-anyone-may-order';

/** A row of the table. */
export interface Setting {
  readonly format: Format<unknown>;
  /** Parsed where the setting is absent. */
  readonly default?: string;
  /** One line for people. */
  readonly meaning: string;
}

/** Rows of the table, by the names of the settings. */
export type Table = Readonly<Record<string, Setting>>;

/**
 * All settings, by where they apply. The variable of `maxOrderNotional` is `SERVICE_MAX_ORDER_NOTIONAL`; the CDK takes
 * the name itself, by `-c` and in `deploy/*.json`. The parsers, `--help`, `.env.example` and docs/settings.md are made
 * from this table.
 */
export const SETTINGS = {
  /** Of the local server. */
  local: {
    host: { format: HOST, default: '127.0.0.1', meaning: 'address to listen on' },
    port: { format: PORT, default: '8080', meaning: 'port to listen on; 0 takes a free one' },
    allowedHosts: { format: HOSTS, default: '', meaning: 'further hosts to answer to, and ranges such as 10.0.0.0/8' },
    remoteOrders: {
      format: CONSENT,
      meaning: '1 lets anyone who reaches the port trade: needed for orders beyond loopback',
    },
    store: {
      format: STORE,
      default: '.data/orders.db',
      meaning: 'store of the orders: a private file that you keep, or dynamodb:TABLE',
    },
    privateKey: { format: PRIVATE_KEY, meaning: 'the key that signs orders: 32 bytes of hex, 0x optional' },
    clobApiKey: { format: CLOB_KEY, meaning: "the venue's API credentials: all three, or none to derive them" },
    clobApiSecret: { format: CLOB_SECRET, meaning: 'their secret, in base64' },
    clobApiPassphrase: { format: CLOB_PASSPHRASE, meaning: 'their passphrase' },
  },
  /** Of the local server, and of the deployed function of orders. */
  orders: {
    placeOrder: {
      format: OPT_IN,
      meaning: '1 enables orders, with a key; any other value is read-only, with a warning',
    },
    signatureType: { format: oneOf(SIGNATURE_TYPES), meaning: `${SIGNATURE_TYPES.join(', ')}; derived without it` },
    funderAddress: { format: ADDRESS, meaning: "the account that holds the funds, where it is not the key's (eoa)" },
    builderCode: {
      format: BYTES32,
      meaning: "the venue's builder attribution: 32 bytes of hex, signed into each order",
    },
    maxOrderNotional: {
      format: AMOUNT,
      meaning: 'refuses an order with a larger price times size, in pUSD before fees',
    },
    maxDailyNotional: {
      format: AMOUNT,
      meaning: 'refuses an order with which those of the UTC day would be larger, in pUSD',
    },
    clientVerification: {
      format: oneOf(['off', 'required']),
      default: 'off',
      meaning: 'required takes only orders that the wallet of X-Client-Address has signed: the default of a deployment',
    },
    publicAuthority: { format: AUTHORITY, meaning: 'the host that clients sign for; needed to verify beyond loopback' },
  },
  /** Of the local server, and of all deployed functions. */
  common: {
    corsOrigins: { format: ORIGINS, default: '', meaning: 'origins whose pages may place orders, comma-separated' },
    gammaUrl: {
      format: UPSTREAM,
      default: 'https://gamma-api.polymarket.com',
      meaning: 'base URL of the catalogue of markets',
    },
    clobUrl: { format: UPSTREAM, default: 'https://clob.polymarket.com', meaning: 'base URL of the order books' },
    logLevel: { format: oneOf(LOG_LEVELS), default: 'info', meaning: LOG_LEVELS.join(', ') },
  },
  /** Of deployed functions, besides. */
  deployed: {
    walletAddress: {
      format: ADDRESS,
      meaning: 'required with orders: the only address that the deployment trades with',
    },
    privateKeySecret: {
      format: matching(
        'the name of a Secrets Manager secret, or its whole ARN with the six characters at its end; a key that was given here was shown to others: replace it',
        /^(?!(?:0x)?[0-9a-fA-F]{64}$)(?:arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}|[\w/+=.@-]{1,512})$/,
      ),
      meaning: 'required with orders: name or whole ARN of the secret that holds the key, never the key',
    },
    orderAccess: {
      format: oneOf(ORDER_ACCESSES),
      default: 'iam',
      meaning: 'iam: requests signed with AWS credentials; jwt: a token of jwtIssuer; public: anyone who knows the URL',
    },
    orderSubjects: { format: SUBJECTS, meaning: 'with orderAccess=jwt: subjects of tokens that may order' },
    ordersTable: { format: TABLE, meaning: 'name of a restored table of orders to go on with' },
  },
  /** Of the stack: no function reads them. */
  stack: {
    env: {
      format: matching('the name of a file in deploy/, without .json', /^\w[\w-]*$/),
      meaning: 'reads deploy/NAME.json; -c wins',
    },
    // Names of functions contain it, and their length is limited.
    stackName: {
      format: matching('a letter, then letters, digits and dashes, 50 at most', /^[A-Za-z][A-Za-z0-9-]{0,49}$/),
      default: 'order-book-adapter',
      meaning: 'another name deploys a second service beside the first',
    },
    region: {
      format: matching('an AWS region', /^[a-z]{2,4}(-[a-z]+)+-\d$/),
      meaning: "with orders, one from which the venue takes them; the AWS configuration's without it",
    },
    alarmTopic: {
      format: matching('the ARN of a topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
      meaning: 'ARN of the SNS topic that alarms notify, in the same region',
    },
    readAccess: { format: oneOf(['open', 'iam', 'jwt']), default: 'open', meaning: 'who may read markets and books' },
    jwtIssuer: {
      format: matching('an https URL', /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/),
      meaning: 'with jwt: https URL of the issuer; anyone who can sign up there gets a token',
    },
    jwtAudience: { format: TEXT, meaning: 'with jwt: the audience of the tokens' },
    jwtScopes: {
      format: matching('scopes, separated by a space; the gateway takes 10', /^[\x21-\x7e]+(?: [\x21-\x7e]+){0,9}$/),
      meaning: 'with jwt: scopes of which a token needs one, separated by a space, 10 at most',
    },
    allowPublic: {
      format: z.literal(PUBLIC_CONSENT, PUBLIC_CONSENT),
      meaning: `${PUBLIC_CONSENT}: required with orderAccess=public, and with jwt without scopes and subjects`,
    },
    // The venue takes 300 requests per 10 s and address for its lists, and a large limit needs several; 1500 for books.
    marketsPerSecond: {
      format: wholeNumber(1, 10_000),
      default: '20',
      meaning: 'requests that the gateway lets through',
    },
    booksPerSecond: { format: wholeNumber(1, 10_000), default: '150', meaning: 'the same for books' },
    readConcurrency: { format: wholeNumber(1, 1_000), meaning: 'reserved executions, for markets and for books each' },
    orderConcurrency: { format: wholeNumber(1, 1_000), meaning: 'the same for orders' },
    rollout: {
      format: oneOf(['canary', 'all-at-once']),
      default: 'canary',
      meaning: 'canary: a tenth of the orders for five minutes, then all, and back if an alarm of the build rings',
    },
    secretKeyArn: {
      format: matching('the ARN of a KMS key (no alias)', /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/),
      meaning: 'ARN of the KMS key that encrypts the secret, where it is your own',
    },
    domainName: {
      format: matching('a host name', /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/),
      meaning: 'a domain of your own, with certificateArn: point it to the output DomainTarget',
    },
    certificateArn: {
      format: matching('the ARN of a certificate of ACM', /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
      meaning: 'ARN of its certificate, in the same region',
    },
  },
} as const satisfies Readonly<Record<string, Table>>;

/** The variables that the local server reads. */
export const LOCAL = { ...SETTINGS.local, ...SETTINGS.orders, ...SETTINGS.common };

/** The variables that deployed functions read. */
export const DEPLOYED = { ...SETTINGS.orders, ...SETTINGS.common, ...SETTINGS.deployed };

/** The settings that the CDK takes, in `-c` and in `deploy/*.json`. */
export const CONTEXT = {
  ...DEPLOYED,
  ...SETTINGS.stack,
  placeOrder: { ...SETTINGS.orders.placeOrder, format: FLAG },
};

/** Environment variables; an empty one counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variable of a setting. */
export function variableOf(name: string): string {
  return `SERVICE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}
