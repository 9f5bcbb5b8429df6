import { describeSection } from './in-process.ts';
import { LOCAL_SERVER } from './local-server.ts';

describeSection(LOCAL_SERVER);
