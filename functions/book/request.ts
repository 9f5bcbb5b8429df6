import { refuse } from '../../shared/errors.ts';
import { tokenId } from '../wire.ts';

/** Reads the token id of a path; 400 `invalid_request` for anything that is none. */
export function parseTokenId(text = ''): string {
  const { data, error } = tokenId.safeParse(text);
  if (data !== undefined) return data;
  const errors = [{ field: 'token_id', detail: error?.issues[0]?.message ?? '' }];
  throw refuse('invalid_request', { part: 'The path', errors });
}
