// One load of the modules for tests that start no process and mock nothing.
import './amounts.test.ts';
import './client.test.ts';
import './error.test.ts';
import './event.test.ts';
import './quote.test.ts';
