// One load of the CDK, and one synthesis for each set of settings.
import '../contract/deployment.test.ts';
import './alarms.test.ts';
import './github.test.ts';
import './settings.test.ts';
import './template.test.ts';
