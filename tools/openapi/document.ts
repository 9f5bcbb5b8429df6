import * as z from 'zod/mini';
import { limit, tokenIds } from '../../functions/markets/endpoint.ts';
import { ORDER_HEADERS } from '../../functions/orders/checks.ts';
import { ROUTES, type Route } from '../../functions/routes.ts';
import { REQUEST_ID } from '../../functions/trace.ts';
import { tokenId } from '../../shared/contract/schemas.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import { VERSION } from '../../shared/version.ts';
import { openAnswers } from './codes-table.ts';
import { EXAMPLES, YES } from './examples.ts';
import {
  codesOf,
  GATEWAY_ANSWER,
  headerRefs,
  problemResponses,
  RESPONSE_HEADERS,
  sharedResponses,
} from './responses.ts';
import { componentSchemas, GLOSSARY, inlineSchema, type SchemaName, schemaRef, WHOLE_SECONDS } from './schemas.ts';

const DESCRIPTION = `A small HTTP/JSON service between any HTTP client and the order book of Polymarket.

- **Decimals** (prices, sizes, money) leave the service as strings in plain notation. An order takes a JSON number or such
  a string. Prices are in collateral per share, sizes in shares. Nothing is rounded.
- **Token ids** are decimal strings of up to 78 digits: never turn them into a JavaScript number.
- **Errors** are \`application/problem+json\` (RFC 9457). Branch on \`code\`; \`detail\` says what to do. \`x-next\`
  of its schema says who has to act: \`repeat\` (the caller repeats the request, an order with the same key), \`change\`
  (the caller corrects it), \`wait\` (the caller orders again later) or \`operator\`.
- **A gateway** in front of a deployed service answers some requests by itself, with a \`message\` and without a \`code\`:
  see \`x-gateway-answer\`.
- **HEAD** is GET without a body, on every GET. **OPTIONS** is 204 with \`Allow\`, and with the headers of CORS for a page.
- The first failing check answers, in this order: host, path, method, origin, placement enabled, query, media type, size,
  headers, body, client signature, allowed client, key, token, market rules, caps, venue.
- Answers may get further members and there may be further codes: ignore members that you do not know.

Examples are from \`npm run paper\`, an invented venue without real money.`;

const PLACE_ORDER = `Signs one limit order with the operator's key and sends it to the venue.

**One order per request, at most.** With an \`Idempotency-Key\` the same request places one order however often it is
sent and whatever fails in between: repeat it with the same key until it is answered. Two answers are final and are
replayed: 201, and a 422 by which the venue itself refused the order. Without the header each request is a new order.

**A failure never lies.** The order of this request may be live after ${openAnswers()}.
409 \`order_in_progress\` says that another request decides. After every other error this request placed none. An earlier
request with the same key may have: if its answer left that open, only a final answer settles it.

**Nothing is guessed.** A query, and a member of the body that is not listed here, is refused. Of a member that stands
twice the last one counts.

**Callers** are not authenticated unless the service verifies clients (\`SERVICE_CLIENT_VERIFICATION=required\`): then
each order is signed by the wallet of \`X-Client-Address\`. Without a signature the answer is 401 with the text to sign in
\`challenge\`. A deployment can also put IAM or an issuer of tokens in front of this operation: then the gateway wants
requests signed with AWS Signature Version 4, or a token, and answers others 401 or 403 by itself.`;

const SECURITY_SCHEMES = {
  clientSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Client-Signature',
    description:
      'Where the service verifies clients: the signature of the wallet of `X-Client-Address` over the text of the order, which ' +
      'is the member `challenge` of a 401. EVM: EIP-191 `personal_sign`, `0x` and 130 hex digits, low s, v 27 or 28; of a contract ' +
      'wallet (EIP-1271), where the service knows its chain, up to 4096 hex digits. ' +
      'Solana: ed25519 over the bytes of the text, base58 of 64 bytes.',
  },
  awsSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    'x-amazon-apigateway-authtype': 'awsSigv4',
    description:
      'Where a deployment has `orderAccess` set to `iam`, its default: AWS Signature Version 4 for the service ' +
      '`execute-api`, which the gateway checks.',
  },
  gatewayToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Where a deployment has `orderAccess` set to `jwt`: a token of its issuer, which the gateway checks.',
  },
} as const;

interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly [member: string]: unknown;
}

/** Makes a parameter; its description is the schema's. */
function parameter(place: Parameter['in'], name: string, schema: z.ZodMiniType): Parameter {
  const { description = '', ...rest } = inlineSchema(schema);
  return { name, in: place, ...(place === 'path' && { required: true }), description, schema: rest };
}

function header(name: string, description: string, pattern?: RegExp): Parameter {
  return parameter(
    'header',
    name,
    z.string().check(z.meta({ ...(pattern && { pattern: pattern.source }), description })),
  );
}

const REQUEST_ID_PARAMETER = header(
  'X-Request-Id',
  'Comes back in the answer, and is in every log line of the request. One of another form is replaced, not refused.',
  REQUEST_ID,
);

/** Makes a success as it stands under its status. */
function success(description: string, headers: ReturnType<typeof headerRefs>, schema?: SchemaName, examples?: object) {
  const content = schema && { content: { 'application/json': { schema: schemaRef(schema), examples } } };
  return { description, headers, ...content };
}

const named = (name: Route['name'], title: string) => ({ [title]: { value: EXAMPLES[name].answer } });

/** Each operation, without the members that all have. */
const OPERATIONS = {
  health: {
    tags: ['Service'],
    summary: 'What the service is and which wallet it uses',
    description:
      'Answers at once, without a call of the venue. Only pages of listed origins can read it, since it names the wallet.',
    parameters: [],
    responses: {
      200: success('The service runs.', headerRefs(), 'HealthStatus', named('health', 'order-placing')),
    },
  },
  markets: {
    tags: ['Market data'],
    summary: 'Markets on which an order can be placed now',
    description:
      'Most traded in the last 24 hours first. Fields that the venue does not report are `null`. Any other query parameter is ' +
      'refused, so that a misspelt `limit` is not ignored. Answered within 10 seconds.',
    parameters: [parameter('query', 'limit', limit), parameter('query', 'token_id', tokenIds)],
    responses: {
      200: success('The markets.', headerRefs('Cache-Control'), 'MarketList', named('markets', 'most-traded')),
    },
  },
  book: {
    tags: ['Market data'],
    summary: 'The order book of an outcome token',
    description: 'Best prices first on both sides; an empty side is `[]`. Answered within 10 seconds.',
    parameters: [
      header(
        'If-None-Match',
        'The `ETag` of a book that the caller has: while it is current, the answer is 304 without a body.',
      ),
    ],
    responses: {
      200: success('The book.', headerRefs('Cache-Control', 'ETag'), 'Book', named('book', 'book')),
      304: success('The book that `If-None-Match` names is current.', headerRefs('Cache-Control', 'ETag')),
    },
  },
  orders: {
    operationId: 'placeOrder',
    tags: ['Orders'],
    summary: 'Place a limit order',
    description: PLACE_ORDER,
    security: [
      {},
      { clientSignature: [] },
      { awsSignature: [] },
      { gatewayToken: [] },
      { clientSignature: [], awsSignature: [] },
      { clientSignature: [], gatewayToken: [] },
    ],
    parameters: [
      ...Object.entries(ORDER_HEADERS).map(([name, schema]) => parameter('header', name, schema)),
      header(
        'X-Client-Signature-Expires',
        'The end of the validity of `X-Client-Signature`, where the service verifies clients: at most 600 seconds ahead.',
        WHOLE_SECONDS,
      ),
    ],
    requestBody: {
      required: true,
      description: `JSON in UTF-8, at most ${MAX_BODY_BYTES} bytes.`,
      content: {
        'application/json': {
          schema: schemaRef('OrderRequest'),
          examples: { rests: { value: EXAMPLES.orders.send } },
        },
      },
    },
    responses: {
      201: success(
        'The venue took the order. A replay is this first answer and does not look again: later fills are told by the events.',
        headerRefs('Idempotency-Replayed'),
        'PlacedOrder',
        named('orders', 'rests'),
      ),
    },
  },
} as const;

const TOKEN_PARAMETER: Parameter = {
  ...parameter('path', 'token_id', tokenId),
  description: 'Outcome token id from `GET /v1/markets`: a uint256 in decimal, in canonical form.',
  example: YES,
};

function pathItem(route: Route) {
  const { name, method } = route;
  const { parameters, responses, ...operation } = OPERATIONS[name];
  const described = {
    operationId: name,
    ...operation,
    parameters: [...parameters, REQUEST_ID_PARAMETER],
    responses: { ...responses, ...problemResponses(codesOf(name)) },
  };
  return {
    ...(name === 'book' && { parameters: [TOKEN_PARAMETER] }),
    [method.toLowerCase()]: described,
  };
}

const WEBHOOK_HEADERS = [
  header('webhook-id', 'The `id` of the event.'),
  header('webhook-timestamp', 'When this attempt was made, in seconds; refuse one of more than five minutes ago.'),
  header(
    'webhook-signature',
    'Signatures with a blank between them, each `v1,` and an HMAC in base64; one must be right.',
  ),
];

/** The request that the operator's webhook gets with each event. */
const WEBHOOK = {
  post: {
    operationId: 'orderEvent',
    tags: ['Events'],
    summary: 'What became of an order',
    description:
      'Sent where the operator has a webhook, signed by Standard Webhooks. An event may come more than once, with the same ' +
      '`id`, and events come in any order.',
    parameters: WEBHOOK_HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: schemaRef('OrderEvent') } } },
    responses: {
      '2XX': { description: 'The event is kept.' },
      410: { description: 'The receiver wants no further event.' },
      default: { description: 'The event is sent again, for three days.' },
    },
  },
} as const;

/** Makes the contract as an OpenAPI 3.1 document, from the schemas that the endpoints run with. */
export function createDocument() {
  const routes = Object.values(ROUTES);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Order book adapter',
      version: VERSION,
      summary: 'Markets, order books and limit orders of a prediction-market venue',
      description: DESCRIPTION,
      contact: { name: 'The maintainers, see SECURITY.md and CONTRIBUTING.md' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: GLOSSARY,
    servers: [
      { url: 'http://127.0.0.1:8080', description: 'The local server, as it starts by default.' },
      {
        url: 'https://{host}',
        description: 'A deployment; `host` is that of its gateway.',
        variables: { host: { default: 'api.example.org' } },
      },
    ],
    // Only orders can need more.
    security: [],
    tags: [
      { name: 'Market data', description: 'Works without any credentials.' },
      { name: 'Orders', description: 'Needs the key and the opt-in of the operator.' },
      { name: 'Service', description: 'The service itself.' },
      { name: 'Events', description: 'What becomes of each order; the operator names the receiver.' },
    ],
    paths: Object.fromEntries(routes.map((route) => [route.path, pathItem(route)])),
    webhooks: { orderEvent: WEBHOOK },
    components: {
      schemas: componentSchemas(),
      responses: sharedResponses(routes.map(({ name }) => codesOf(name))),
      headers: RESPONSE_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
    'x-gateway-answer': GATEWAY_ANSWER,
  };
}
