import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { GatewayHandler } from './pipeline.ts';

/** Returns true if `Accept-Encoding` names gzip without refusing it (RFC 9110, 12.5.3). */
function acceptsGzip(acceptEncoding = ''): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [coding, weight = 'q=1'] = part.split(';').map((text) => text.trim().toLowerCase());
    return coding === 'gzip' && Number(weight.slice('q='.length)) > 0;
  });
}

/** Compresses a result. Its tag becomes a weak one, in a 304 too: a strong one names the uncompressed bytes. */
function compress({ body, headers = {}, ...result }: APIGatewayProxyStructuredResultV2) {
  const { etag } = headers;
  const compressed = { ...result, headers: { ...headers, ...(etag !== undefined && { etag: `W/${etag}` }) } };
  if (body === undefined) return compressed;
  // Loaded when first needed. The lowest level takes half the time of the default and adds a fifteenth to the size.
  const zlib = process.getBuiltinModule('node:zlib');
  return {
    ...compressed,
    headers: { ...compressed.headers, 'content-encoding': 'gzip' },
    body: zlib.gzipSync(body, { level: zlib.constants.Z_BEST_SPEED }).toString('base64'),
    isBase64Encoded: true,
  };
}

/**
 * Answers in gzip where the caller accepts it: what leaves AWS is paid by the byte, and an HTTP API compresses nothing by
 * itself. The handler's responses must not vary by other headers.
 */
export function gzipped(handler: GatewayHandler): GatewayHandler {
  return async (event, context) => {
    const result = await handler(event, context);
    if (result.statusCode !== 200 && result.statusCode !== 304) return result;
    const varying = { ...result, headers: { ...result.headers, vary: 'Accept-Encoding' } };
    return acceptsGzip(event.headers['accept-encoding']) ? compress(varying) : varying;
  };
}
