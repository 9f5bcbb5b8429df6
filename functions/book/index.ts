import { createMarketData } from '#venue/market-data';
import { openDeployed } from '../container.ts';
import { bookEndpoint } from './endpoint.ts';

const { config, log, serve } = openDeployed();

export const handler = serve(bookEndpoint(createMarketData(config, log)));
