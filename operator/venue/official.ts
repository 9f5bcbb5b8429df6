import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import axios from 'axios';
import { type ProxyEnv, proxyOptions } from '../../shared/proxy.ts';

/** Opens an HTTP client that follows no redirect and rejects no status. */
export function openHttp(proxyEnv?: ProxyEnv) {
  // With a proxy of its own an agent is left alone by axios, which else takes those of the environment.
  const agents = { httpAgent: new HttpAgent(proxyOptions()), httpsAgent: new HttpsAgent(proxyOptions(proxyEnv)) };
  return axios.create({ ...agents, maxRedirects: 0, validateStatus: null });
}
