// One load of the modules for tests that start no process and mock nothing.
import './caps.test.ts';
import './clients.test.ts';
import './fates.test.ts';
import './keys.test.ts';
import './orders.test.ts';
import './reads.test.ts';
