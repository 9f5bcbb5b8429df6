import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { isSignedByCaller } from '../../../tools/support/sigv4.ts';
import { afterTests } from '../after-tests.ts';

/** A gateway that checks signatures of AWS (SigV4), before a service. */
export interface IamGateway {
  readonly url: string;
  /** Answers so many requests 429 by itself, as above its rate. */
  throttle(requests: number): void;
}

/** Belong to a connection, or to what the gateway itself has checked. */
const NOT_FORWARDED = /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect|authorization|x-amz-.*)$/;

const stops: (() => Promise<void>)[] = [];

afterTests(() => Promise.all(stops.splice(0).map((stop) => stop())));

/**
 * Starts a gateway before a service as the default deployment has it: reads are open, `POST /v1/orders` is for whoever
 * signs with SigV4, and the others are answered 403 by the gateway itself. It ends after the test.
 */
export async function startIamGateway(serviceUrl: string): Promise<IamGateway> {
  let throttled = 0;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: target = '/', headers } = request;
    const body = await buffer(request);
    const say = (status: number, message: string) => {
      response.writeHead(status, { 'content-type': 'application/json', 'apigw-requestid': 'JKJaXmPLvHcESHA=' });
      response.end(JSON.stringify({ message }));
    };
    throttled -= 1;
    if (throttled >= 0) return say(429, 'Too Many Requests');
    const isOrder = method === 'POST' && target.split('?')[0] === '/v1/orders';
    if (isOrder && !isSignedByCaller({ method, target, headers, body })) return say(403, 'Forbidden');
    const forwarded = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name));
    const init = { method, headers: Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)])) };
    const answer = await fetch(serviceUrl + target, { ...init, ...(body.length > 0 && { body }) });
    const kept = [...answer.headers].filter(([name]) => !NOT_FORWARDED.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
  });
  stops.push(() => shut(server));
  return {
    url: await listenOnLoopback(server),
    throttle: (requests) => {
      throttled = requests;
    },
  };
}
