import { expect, it } from '@jest/globals';
import { CONTEXT } from '../../infra/settings/table.ts';
import { ORDER_CONTEXT } from '../../tools/support/deployment.ts';
import { type Context, deployedApps } from '../support/deployed-apps.ts';
import { DEPLOYMENT } from './deployment.ts';

const { appOf, templateOf } = deployedApps();

it('has one proof for each setting of a deployment', () => {
  expect(Object.keys(DEPLOYMENT).toSorted()).toStrictEqual(Object.keys(CONTEXT).toSorted());
});

it.each(Object.entries(DEPLOYMENT))('does what the setting %s says', (_name, [given, shows, is, others = {}]) => {
  const shownBy = (change: Context) => {
    const context = { ...ORDER_CONTEXT, ...change };
    return shows({ service: appOf(context).service, template: templateOf(context) });
  };
  expect(shownBy(given)).toStrictEqual(is);
  expect(shownBy(others)).not.toStrictEqual(is);
});
