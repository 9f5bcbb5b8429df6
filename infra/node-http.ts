/**
 * The build puts this file in the place of node:http, whose import would load all of Node's fetch, for three exports that
 * no function uses. A file of its own: what lies beside it would come into every function.
 */
const http = process.getBuiltinModule('node:http');

export const { Agent, request, STATUS_CODES } = http;
// biome-ignore lint/style/noDefaultExport: ethers imports node:http by its default.
export { http as default };
