/**
 * In the place of axios in what is deployed: the venue's client only signs for us, and every request goes through our
 * own transport, with its time-outs. A call that comes here all the same must not look like an answer of the venue.
 */
function refuse(): never {
  throw new Error('the HTTP client of the venue client is not part of the deployed code');
}

// biome-ignore lint/style/noDefaultExport: the client imports axios by its default.
export { refuse as default };
