import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** `body` is a JSON value, absent for none. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A response as the gateway takes it; an answer to HEAD has no body. */
export function toResult({ status, headers, body }: HttpResponse, method: string): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && method !== 'HEAD' && { body: JSON.stringify(body) }),
  };
}
