// One load of the modules for tests of the desk.
import './desk.test.ts';
import './ledger.test.ts';
import './odd-venue.test.ts';
