/** In the place of browser-or-node in what is deployed. */
export const isBrowser = false;
export const isNode = true;
