import { createMarketData } from '#venue/market-data';
import { openDeployed } from '../lambda-start.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { bookEndpoint } from './endpoint.ts';

const { config, log, pipeline } = openDeployed();

/** The Lambda handler of `GET /v1/book/{token_id}`. */
export const handler = createGatewayHandler(bookEndpoint(createMarketData(config, log)), pipeline);
