/** The one function that is used of a package without types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  const dynalite: (options: { readonly createTableMs: number }) => Server;
  export = dynalite;
}
