import { createMarketData } from '#venue/market-data';
import { openDeployed } from '../container.ts';
import { bookEndpoint } from './endpoint.ts';

const { config, log, serve } = openDeployed();

/** The Lambda handler of `GET /v1/book/{token_id}`. */
export const handler = serve(bookEndpoint(createMarketData(config, log)));
