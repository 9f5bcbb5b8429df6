import { createMarketData } from '#venue/market-data';
import { parseDeployedConfig } from '../../shared/config.ts';
import { openContainer } from '../container.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { marketsEndpoint } from './endpoint.ts';

const { config, log, pipeline } = openContainer(parseDeployedConfig);

export const handler = createGatewayHandler(marketsEndpoint(createMarketData(config, log)), pipeline);
