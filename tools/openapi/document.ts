import { type AnyRoute, ROUTES } from '../../functions/routes.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import { VERSION } from '../../shared/version.ts';
import { codeSamples } from './code-samples.ts';
import { orderExamples } from './examples.ts';
import { PREFLIGHT_PARAMETERS, REQUEST_ID_PARAMETER, RESPONSE_HEADERS } from './headers.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { codesOf } from './problems.ts';
import { GATEWAY_ANSWER, problemResponses, sharedResponses, successResponse } from './responses.ts';
import { componentSchemas, schemaRef } from './schemas.ts';

const DESCRIPTION = `A small HTTP/JSON service between any HTTP client and the order book of Polymarket.

- **Decimals** (prices, sizes, money) leave the service as strings in plain notation. An order takes a JSON number or such
  a string. Prices are in collateral per share, sizes in shares. Nothing is rounded.
- **Token ids** are decimal strings of up to 78 digits: never turn them into a JavaScript number.
- **Errors** are \`application/problem+json\` (RFC 9457). Branch on \`code\`; \`detail\` says what to do.
- **A gateway** in front of a deployed service answers some requests by itself, with a \`message\` and without a \`code\`:
  see \`x-gateway-answer\`.
- **HEAD** is GET without a body, on every GET.
- The first failing check answers, in this order: host, path, method, origin, placement enabled, query, media type, size,
  headers, body, client signature, token, market rules, cap, daily cap, venue.
- Answers may get further members and there may be further codes: ignore members that you do not know.

Examples are from \`npm run paper\`, an invented venue without real money.`;

const CLIENT_SIGNATURE = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Client-Signature',
  description:
    'Where the service verifies clients: the signature of the wallet of `X-Client-Address` over the text of the order, which ' +
    'is the member `challenge` of a 401. EVM: EIP-191 `personal_sign`, `0x` and 130 hex digits, low s, v 27 or 28. ' +
    'Solana: ed25519 over the bytes of the text, base58 of 64 bytes.',
} as const;

const TAGS = [
  { name: 'Market data', description: 'Works without any credentials.' },
  { name: 'Orders', description: 'Needs the key and the opt-in of the operator.' },
  { name: 'Service', description: 'The service itself.' },
  { name: 'Preflights', description: 'What browsers ask by themselves before a page may use another origin (CORS).' },
] as const;

function operationOf(name: keyof typeof ROUTES, operation: Operation) {
  const { tag, summary, description, parameters, body, successes } = operation;
  const responses = successes.map((success) => [String(success.status), successResponse(name, success)] as const);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    parameters: [...parameters.filter((item) => item.in !== 'path'), REQUEST_ID_PARAMETER],
    ...(body && {
      security: [{}, { clientSignature: [] }],
      requestBody: {
        required: true,
        description: `JSON in UTF-8, at most ${MAX_BODY_BYTES} bytes.`,
        content: { 'application/json': { schema: schemaRef(body), examples: orderExamples() } },
      },
    }),
    responses: { ...Object.fromEntries(responses), ...problemResponses(name, codesOf(name)) },
    'x-codeSamples': codeSamples(name),
  };
}

/** Stands for every preflight: they have no examples. */
const PREFLIGHT = 'preflight';

function preflightCodes(listedOnly: boolean): readonly ErrorCode[] {
  return listedOnly ? [...codesOf('everywhere'), 'origin_not_allowed'] : codesOf('everywhere');
}

/** Describes the answer to OPTIONS on a path; `listedOnly` where pages of other origins are refused. */
function preflightOf(name: string, path: string, listedOnly: boolean) {
  const allowed = successResponse(PREFLIGHT, {
    status: 204,
    description: 'The methods of this path, and what a web page may do.',
    headers: [
      'Allow',
      'Access-Control-Allow-Origin',
      'Access-Control-Allow-Methods',
      'Access-Control-Allow-Headers',
      'Access-Control-Max-Age',
    ],
  });
  return {
    operationId: `${name}Preflight`,
    tags: ['Preflights'],
    summary: `Preflight of ${path}`,
    description: 'Browsers send this by themselves.',
    parameters: [...PREFLIGHT_PARAMETERS, REQUEST_ID_PARAMETER],
    responses: { '204': allowed, ...problemResponses(PREFLIGHT, preflightCodes(listedOnly)) },
  };
}

function pathItem({ name, method, path }: Exclude<AnyRoute, { method: 'ANY' }>) {
  const operation = OPERATIONS[name];
  const inPath = operation.parameters.filter((item) => item.in === 'path');
  return {
    ...(inPath.length > 0 && { parameters: inPath }),
    [method.toLowerCase()]: operationOf(name, operation),
    options: preflightOf(name, path, codesOf(name).includes('origin_not_allowed')),
  };
}

function responses() {
  const operations = Object.values(ROUTES).map(({ name }) => [name, codesOf(name)] as const);
  return sharedResponses([...operations, [PREFLIGHT, preflightCodes(false)]]);
}

/** The contract as an OpenAPI 3.1 document, made of the schemas that the endpoints run with. */
export function createDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Order book adapter',
      version: VERSION,
      summary: 'Markets, order books and limit orders of a prediction-market venue',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: 'http://127.0.0.1:8080', description: 'The local server, as it starts by default.' },
      {
        url: 'https://{host}',
        description: 'A deployment; `host` is that of its gateway.',
        variables: { host: { default: 'api.example.org' } },
      },
    ],
    // Only orders can need more; see there for what a deployment can add.
    security: [],
    tags: TAGS,
    paths: Object.fromEntries(Object.values(ROUTES).map((route) => [route.path, pathItem(route)])),
    components: {
      schemas: componentSchemas(),
      responses: responses(),
      headers: RESPONSE_HEADERS,
      securitySchemes: { clientSignature: CLIENT_SIGNATURE },
    },
    'x-gateway-answer': GATEWAY_ANSWER,
  };
}
