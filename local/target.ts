import { refuse } from '../shared/errors.ts';

/** What a request line asks for. */
export interface Target {
  /** Host and port of an absolute-form target, which goes before the `Host` header (RFC 9112, 3.2.2). */
  readonly authority: string | undefined;
  /** Still percent-encoded. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

const TARGET = /^(?:https?:\/\/(?<authority>[^/?]*))?(?<path>[^?]*)\??(?<query>.*)$/i;

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Takes a request target apart; throws 400 `invalid_request` where it is not the ASCII that a URL is made of. */
export function parseTarget(target: string): Target {
  const { authority, path = '', query = '' } = TARGET.exec(target)?.groups ?? {};
  // Other characters, a fragment among them, would be read differently by every parser behind this one.
  if (!/^[\x21\x22\x24-\x7e]*$/.test(target) || !canDecode(path)) {
    throw refuse('invalid_request', {
      sentence: 'The URL is not valid: send a path in ASCII with percent-encoded UTF-8.',
      errors: [{ field: 'path', detail: 'must be ASCII with percent-encoded UTF-8.' }],
    });
  }
  return { authority, path: path === '' ? '/' : path, query };
}
