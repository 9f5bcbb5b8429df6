import { createMarketData } from '#venue/market-data';
import { parseDeployedConfig } from '../../shared/config.ts';
import { openContainer } from '../container.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { bookEndpoint } from './endpoint.ts';

const { config, log, pipeline } = openContainer(parseDeployedConfig);

export const handler = createGatewayHandler(bookEndpoint(createMarketData(config, log)), pipeline);
