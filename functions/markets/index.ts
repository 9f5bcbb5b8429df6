import { createMarketData } from '#venue/market-data';
import { openDeployed } from '../lambda-start.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { marketsEndpoint } from './endpoint.ts';

const { config, log, pipeline } = openDeployed();

/** The Lambda handler of `GET /v1/markets`. */
export const handler = createGatewayHandler(marketsEndpoint(createMarketData(config, log)), pipeline);
