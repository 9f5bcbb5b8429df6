/** Quotes a text for a POSIX shell: nothing inside of single quotes means anything to it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the shell command that sends a request with a body. */
export function curlOf(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return [`curl ${quote(url)}`, ...parts, `-d ${quote(body)}`].join(' \\\n  ');
}
