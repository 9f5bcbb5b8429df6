import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const WORKFLOWS = ['deploy.yml', 'deploy-one.yml'].map((name) => read(`.github/workflows/${name}`));
const ROLES = read('deploy/github-roles.yaml');

describe('the deployment from GitHub', () => {
  it('trusts the tokens of one environment each, by their whole subject', () => {
    const subjects = ROLES.match(/(?<=:sub: !Sub repo:\$\{Repository\}:environment:).*/g);
    expect(subjects).toStrictEqual([expect.stringMatching(/^\$\{Environment\}$/), 'diff', 'drift']);
    expect(ROLES.match(/:aud: .*/g)).toStrictEqual([1, 2, 3].map(() => ':aud: sts.amazonaws.com'));
    expect(ROLES).not.toMatch(/StringLike|Resource: "?\*/);
  });

  it('stores no secret, pins what it runs, and runs the code of a pull request without a role', () => {
    for (const text of WORKFLOWS) {
      expect(text).not.toContain('secrets.');
      for (const [, action] of text.matchAll(/uses: (?!\.\/)(\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/);
    }
    const jobs = new Map(
      (WORKFLOWS[0] ?? '').split(/^ {2}(?=\w+:$)/m).map((text) => [text.slice(0, text.indexOf(':')), text]),
    );
    expect(jobs.get('synth')).not.toMatch(/id-token|environment:/);
    expect(jobs.get('diff')).toMatch(/ref: .* github\.event\.pull_request\.base\.sha /);
    for (const name of ['diff', 'dev', 'prod', 'drift']) expect(jobs.get(name)).toContain('id-token: write');
  });
});
