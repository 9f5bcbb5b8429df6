// One load of the modules for tests that start no process and mock nothing.
import './http/gateway-event.test.ts';
import './http/limits.test.ts';
import './service/stop.test.ts';
