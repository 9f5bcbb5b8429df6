import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signEvent, verifyEvent, type WebhookHeaders } from '../../../packages/client/client.ts';
import { event } from '../../support/operator/events.ts';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, bytes).toString('base64')}`;
const [SECRET, NEXT] = [secretOf(24), secretOf(64)];
const BODY = JSON.stringify({ id: 'evt_1', type: 'order.filled' });
const NOW = Math.floor(Date.now() / 1_000);

/** The three headers of an event, as another library signs them. */
function signed({ secret = SECRET, body = BODY, seconds = NOW } = {}) {
  const signature = new Webhook(secret).sign('evt_1', new Date(seconds * 1_000), body);
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
}
const FIELDS = signed();
const { 'webhook-signature': signature } = FIELDS;
const rename = (change: (name: string) => string) =>
  Object.fromEntries(Object.entries(FIELDS).map(([name, value]) => [change(name), value]));

describe('an event of a webhook', () => {
  it.each<[string, WebhookHeaders, string?]>([
    ["Node's headers", { ...FIELDS, accept: ['a', 'b'], te: undefined }],
    ['Headers of the platform', new Headers(FIELDS)],
    ['names in any case', rename((name) => name.toUpperCase())],
    ['values in arrays', { ...FIELDS, 'webhook-signature': ['v1,other', signature] }],
    [
      'a signature of another kind and of another secret',
      { ...FIELDS, 'webhook-signature': `v1a,x v1,+/== ${signature}` },
    ],
    ['two secrets, of which the first signed', FIELDS, `${SECRET} ${NEXT}`],
    ['two secrets, of which the second signed', FIELDS, `${NEXT} ${SECRET}`],
  ])('is read with %s', async (_what, headers, secret = SECRET) => {
    expect(await verifyEvent(BODY, headers, secret)).toStrictEqual(JSON.parse(BODY));
  });

  it.each<[string, WebhookHeaders, RegExp, string?, unknown?]>([
    ['without a header', rename((name) => name.replace('-id', '-name')), /^The webhook has no header webhook-id\.$/],
    ['without its signature', { ...FIELDS, 'webhook-signature': undefined }, /has no header webhook-signature/],
    ['with a body that is no text', FIELDS, /^The body must be the text as it came/, SECRET, { id: 'evt_1' }],
    ['too old', signed({ seconds: NOW - 310 }), /^The webhook was not sent within the last five minutes/],
    ['ahead of time', signed({ seconds: NOW + 3_600 }), /within the last five minutes/],
    ['with a malformed time', { ...FIELDS, 'webhook-timestamp': 'now' }, /within the last five minutes/],
    ['of another secret', FIELDS, /^The webhook has no valid signature\.$/, NEXT],
    ['over another text', signed({ body: `${BODY} ` }), /no valid signature/],
    ['with a signature that is no base64', { ...FIELDS, 'webhook-signature': 'v1,###' }, /no valid signature/],
    ['with an empty secret', FIELDS, /^The secret must be whsec_ and 24 to 64 bytes in base64, or two/, ''],
    ['with a secret of another form', FIELDS, /^The secret must be whsec_/, SECRET.replace('whsec_', '')],
    ['with a secret that is too short', FIELDS, /^The secret must be whsec_/, secretOf(23)],
    ['with a secret that is no base64', FIELDS, /^The secret must be whsec_/, `${SECRET}A`],
    ['with a malformed second secret', FIELDS, /^The secret must be whsec_/, `${SECRET} whsec_`],
  ])('is refused %s', async (_what, headers, sentence, secret = SECRET, body: unknown = BODY) => {
    await expect(Reflect.apply(verifyEvent, undefined, [body, headers, secret])).rejects.toThrow(sentence);
  });
});

describe('an event that a receiver signs for its test', () => {
  it('is that of the official library and of verifyEvent, with each secret', async () => {
    const { body, headers } = await signEvent(event(1), `${SECRET} ${NEXT}`);
    const { 'webhook-timestamp': seconds, ...others } = headers;
    const at = new Date(Number(seconds) * 1_000);
    expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(10_000);
    expect(others).toStrictEqual({
      'content-type': 'application/json',
      'webhook-id': event(1).id,
      'webhook-signature': [SECRET, NEXT].map((secret) => new Webhook(secret).sign(event(1).id, at, body)).join(' '),
    });
    for (const secret of [SECRET, NEXT]) expect(await verifyEvent(body, headers, secret)).toStrictEqual(event(1));
    await expect(verifyEvent(body, headers, secretOf(32))).rejects.toThrow('no valid signature');
  });

  it.each(['', secretOf(16), `${SECRET} whsec_`])('is refused with a malformed secret: %#', async (secret) => {
    await expect(signEvent(event(1), secret)).rejects.toThrow(/^The secret must be whsec_ and 24 to 64 bytes/);
  });
});
