// One load of the modules for tests that start no process and mock nothing.
import './fuzz.test.ts';
import './gateway-events.test.ts';
import './verification.test.ts';
