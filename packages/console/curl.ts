/** Request as the client sends it. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** Quotes a text for a POSIX shell: nothing inside of single quotes means anything to it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the shell command that sends the same request again. */
export function curlOf({ url, method, headers, body }: SentRequest): string {
  const parts = [
    ...(method === 'GET' || body !== undefined ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ];
  return [`curl ${quote(url)}`, ...parts].join(' \\\n  ');
}
