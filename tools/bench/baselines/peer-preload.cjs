/**
 * Loaded before the peer: its hosts are fixed in its code, so its HTTP client is pointed at the venue stub here, and
 * its throttle of a few requests a second is taken out, or there would be nothing to compare.
 */
const { createRequire } = require('node:module');

const { BENCH_PEER_SCRIPT = '', BENCH_VENUE_URL = '' } = process.env;
const requireOfPeer = createRequire(BENCH_PEER_SCRIPT);

const axios = requireOfPeer('axios');
const atVenue = (url) => url?.replace(/^https:\/\/(?:clob|gamma-api)\.polymarket\.com/, BENCH_VENUE_URL);
const redirect = (client) => {
  client.interceptors.request.use((config) => ({
    ...config,
    url: atVenue(config.url),
    baseURL: atVenue(config.baseURL),
  }));
  return client;
};
const { create } = axios;
axios.create = (...options) => redirect(create.apply(axios, options));
redirect(axios);

requireOfPeer('../utils/throttler').Throttler.prototype.throttle = async () => undefined;
