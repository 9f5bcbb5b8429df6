import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const [DEPLOY = '', DEPLOY_ONE = ''] = ['deploy.yml', 'deploy-one.yml'].map((name) =>
  read(`.github/workflows/${name}`),
);
const JOBS = new Map(DEPLOY.split(/^ {2}(?=\w+:$)/m).map((text) => [text.slice(0, text.indexOf(':')), text] as const));
const ROLES = read('deploy/github-roles.yaml');
/** The roles by name, as text. */
const ROLE = new Map(ROLES.split(/^ {2}(?=\w+:$)/m).map((text) => [text.slice(0, text.indexOf(':')), text] as const));

describe('the deployment from GitHub', () => {
  it('trusts only tokens of its environment, by their whole subject', () => {
    const subjects = ROLES.match(/(?<=:sub: !Sub repo:\$\{Repository\}:environment:).*/g);
    expect(subjects).toStrictEqual([expect.stringMatching(/^\$\{Environment\}$/), 'diff', 'drift']);
    expect(ROLES.match(/:aud: .*/g)).toStrictEqual([1, 2, 3].map(() => ':aud: sts.amazonaws.com'));
    expect(ROLES).not.toContain('StringLike');
    // The role of drift may read no data, wherever they are.
    const [deny = '', ...others] = ROLES.split(/(?=- Effect: )/).filter((text) => /Resource: "?\*/.test(text));
    expect([deny.startsWith('- Effect: Deny'), others]).toStrictEqual([true, []]);
  });

  it('makes one provider in an account, whose second deployment takes that of the first', () => {
    expect(ROLES).toMatch(/^ {2}Provider: \{ Value: !If \[MakesProvider, !Ref GitHub, !Ref Provider\] \}$/m);
    expect(ROLES.match(/Federated: .*/g)).toStrictEqual(
      [1, 2, 3].map(() => 'Federated: !If [MakesProvider, !Ref GitHub, !Ref Provider]'),
    );
    expect(ROLE.get('GitHub')).toContain('Condition: MakesProvider');
    // Two stacks of roles would meet in a name.
    expect(ROLES).not.toContain('RoleName');
  });

  it('stores no secret, pins what it runs, and runs the code of a pull request without a role', () => {
    for (const text of [DEPLOY, DEPLOY_ONE]) {
      expect(text).not.toContain('secrets.');
      for (const [, action] of text.matchAll(/uses: (?!\.\/)(\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/);
    }
    expect(JOBS.get('synth')).not.toMatch(/id-token|environment:/);
    expect(JOBS.get('diff')).toMatch(/ref: .* github\.event\.pull_request\.base\.sha /);
    for (const name of ['diff', 'dev', 'prod', 'drift']) expect(JOBS.get(name)).toContain('id-token: write');
  });

  it('deploys prod only when a person starts it, from main, and one deployment at a time', () => {
    const [dev, prod] = ['dev', 'prod'].map((name) => /if: (.*)/.exec(JOBS.get(name) ?? '')?.[1]);
    expect(dev).toBe("vars.DEPLOY == 'true' && github.event_name == 'push'");
    const byHand = "github.event_name == 'workflow_dispatch' && github.ref == 'refs/heads/main'";
    expect(prod).toBe(`vars.DEPLOY == 'true' && ${byHand}`);
    expect(DEPLOY).not.toContain('concurrency:');
    expect(DEPLOY_ONE).toMatch(/group: deploy-\$\{\{ inputs\.name \}\}$/m);
  });

  it('grants the job that looks for drift the calls that the CLI makes with its credentials', () => {
    const cli = read('node_modules/aws-cdk/lib/index.js');
    const [action = ''] = /^ {6}async drift\(cx, options = \{\}\) \{[\s\S]*?^ {6}\}/m.exec(cli) ?? [];
    // A third argument would name a role of the bootstrap.
    expect(action).toMatch(
      /sdkProvider\.forEnvironment\(stack\.environment, 0 \/\* ForReading \*\/\)\)\.sdk\.cloudForm/,
    );
    const parts = [...cli.matchAll(/^async function (?:detectStackDrift|waitForDriftDetection)\([\s\S]*?^\}/gm)].join();
    const calls = new Set([...parts.matchAll(/\bcfn\.(\w+)\(/g)].map(([, call]) => call));
    expect(calls).toStrictEqual(
      new Set(['detectStackDrift', 'describeStackDriftDetectionStatus', 'describeStackResourceDrifts']),
    );
    expect(ROLE.get('Drift')).toMatch(/policy\/ReadOnlyAccess$/m);
    expect(ROLE.get('Drift')).toMatch(/- Effect: Allow\n\s+Action: cloudformation:DetectStack\*\n/);
    expect(ROLE.get('Drift')).not.toMatch(/Action: sts:AssumeRole$/m);
  });
});
