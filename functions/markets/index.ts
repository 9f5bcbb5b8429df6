import { createMarketData } from '#venue/market-data';
import { openDeployed } from '../container.ts';
import { marketsEndpoint } from './endpoint.ts';

const { config, log, serve } = openDeployed();

export const handler = serve(marketsEndpoint(createMarketData(config, log)));
