import type { Assembly, DeployedRoute } from './assembly.ts';

/** A request as a client writes it. */
export interface ClientRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The signer, as IAM knows the caller. */
export const CALLER_ARN = 'arn:aws:sts::123456789012:assumed-role/trader/session';

/** A request as the function behind its route gets it. */
export interface Routed {
  /** Name of the function. */
  readonly target: string;
  readonly event: object;
  /** True for requests whose sender IAM knows. */
  readonly signed: boolean;
}

interface Match extends DeployedRoute {
  /** Ranks how exactly the route names the request: the gateway takes the most exact. */
  readonly rank: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** One template segment takes one segment of the path that is not empty. */
function matchPath(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match ? { ...match.groups } : undefined;
}

function matchRoute(route: DeployedRoute, method: string, path: string): Match | undefined {
  if (route.key === '$default') return { ...route, rank: 0, parameters: {} };
  const [routeMethod, template = ''] = route.key.split(' ');
  const parameters = matchPath(template, path);
  if (!parameters || (routeMethod !== 'ANY' && routeMethod !== method)) return undefined;
  return { ...route, rank: routeMethod === 'ANY' ? 1 : 2, parameters };
}

function bodyOf({ headers, body }: ClientRequest): object {
  if (body === undefined) return { isBase64Encoded: false };
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/.test(headers?.['content-type'] ?? '');
  return { body: isText ? body : Buffer.from(body).toString('base64'), isBase64Encoded: !isText };
}

/** Turns a request into the event of an HTTP API with these routes (payload version 2.0, as AWS describes it). */
export function route({ routes }: Assembly, request: ClientRequest): Routed {
  const { method, headers = {} } = request;
  const [rawPath = '', rawQueryString = ''] = request.path.split('?', 2);
  const path = decodeURIComponent(rawPath);
  const matches = routes.flatMap((candidate) => matchRoute(candidate, method, path) ?? []);
  const [best] = matches.toSorted((a, b) => b.rank - a.rank);
  if (!best) throw new Error(`no route for ${method} ${path}`);
  const parameters = Object.keys(best.parameters).length > 0 ? { pathParameters: best.parameters } : {};
  const event = {
    version: '2.0',
    routeKey: best.key,
    // As behind a custom domain with a path of its own: functions go by the route.
    rawPath: `/adapter${path}`,
    rawQueryString,
    headers: { host: 'abc123.execute-api.eu-west-1.amazonaws.com', ...headers },
    ...parameters,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      domainPrefix: 'abc123',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'rig' },
      requestId: 'JKJaXmPLvHcESHA=',
      // Nothing comes this far unsigned.
      ...(best.signed && { authorizer: { iam: { userArn: CALLER_ARN } } }),
      routeKey: best.key,
      stage: '$default',
      time: '20/Nov/2026:17:21:09 +0000',
      timeEpoch: 1795195269000,
    },
    ...bodyOf(request),
  };
  return { target: best.target, event, signed: best.signed };
}
