import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { STOP_MS } from '../../shared/limits.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the manifest for Kubernetes', () => {
  it('runs two replicas on one table, with labels, ports and volumes that match and time to stop', async () => {
    const manifest = await readFile(join(ROOT, 'deploy/kubernetes.yaml'), 'utf8');
    const resources = parseAllDocuments(manifest, { strict: true }).map((each) => each.toJSON());
    expect(resources.map(({ kind }) => kind)).toStrictEqual(['Deployment', 'Service', 'NetworkPolicy']);
    const [{ spec }, service, policy] = resources;
    const { spec: running, metadata } = spec.template;
    const [adapter] = running.containers;
    expect(spec.replicas).toBe(2);
    for (const found of [spec.selector.matchLabels, service.spec.selector, policy.spec.podSelector.matchLabels]) {
      expect(found).toStrictEqual(metadata.labels);
    }
    const ports = [service.spec.ports[0].targetPort, policy.spec.ingress[0].ports[0].port];
    expect(ports).toStrictEqual([adapter.ports[0].name, adapter.ports[0].name]);
    expect(adapter.volumeMounts[0].name).toBe(running.volumes[0].name);
    expect(running.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_MS);
    const settings = ['--settings', `${adapter.volumeMounts[0].mountPath}/settings`];
    expect(adapter.args).toStrictEqual(settings);
    expect(adapter.readinessProbe).toStrictEqual(adapter.livenessProbe);
    const env = Object.fromEntries(adapter.env.map((each: { name: string; value: string }) => [each.name, each.value]));
    const { AWS_REGION: _region, ...ours } = env;
    const image = { SERVICE_HOST: '0.0.0.0', SERVICE_PORT: String(adapter.ports[0].containerPort) };
    const trading = { SERVICE_PRIVATE_KEY: '11'.repeat(32), SERVICE_PLACE_ORDER: '1', SERVICE_REMOTE_ORDERS: '1' };
    expect(parseLocalConfig({ ...image, ...ours, ...trading })).toMatchObject({
      store: 'dynamodb:orders',
      allowedHosts: [service.metadata.name],
      orders: { kind: 'on' },
    });
  });
});
