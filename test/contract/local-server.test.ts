import { describeSection } from './in-process.ts';
import { LOCAL_SERVER } from './local-server.ts';
import { SETTINGS } from './settings.ts';

describeSection([...LOCAL_SERVER, ...SETTINGS]);
