// One load of the modules for tests over the same stores, with the same clock.
import './clock-table.test.ts';
import './fates-table.test.ts';
import './keys-table.test.ts';
