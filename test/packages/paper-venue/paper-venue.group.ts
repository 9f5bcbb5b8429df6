// One load of the modules for tests that start no process and mock nothing.
import './exchange.test.ts';
import './official-client.test.ts';
import './rules.test.ts';
