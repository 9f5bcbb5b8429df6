import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { STOP_MS } from '../../shared/limits.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const MOST_LINES = 65;

const text = { type: 'string', minLength: 1 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const yes = { type: 'boolean' } as const;
/** A port by its number or the name that the container gives it. */
const port = {
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 65_535 },
    { type: 'string', pattern: '^[a-z-]{1,15}$' },
  ],
};
const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' } as const;
const labels = { type: 'object', additionalProperties: text, minProperties: 1 } as const;
const quantity = { type: 'string', pattern: '^\\d+(m|Ki|Mi|Gi)?$' } as const;
const listOf = (items: object) => ({ type: 'array', items, minItems: 1 });
/** What has these members alone: the API server drops others, or refuses them. */
const object = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const only = (value: string | boolean) => ({ const: value });
const probe = object(
  {
    httpGet: object({ path: text, port, httpHeaders: listOf(object({ name: text, value: text })) }),
    exec: object({ command: listOf(text) }),
    periodSeconds: count,
    timeoutSeconds: count,
  },
  [],
);
const resources = object({ cpu: quantity, memory: quantity }, ['memory']);

/** The parts of the API of Kubernetes that the manifest uses (kubernetes.io/docs/reference/kubernetes-api). */
const container = object({
  name,
  image: text,
  args: listOf(text),
  env: listOf(object({ name: text, value: text })),
  ports: listOf(object({ name, containerPort: count })),
  resources: object({ requests: resources, limits: resources }),
  securityContext: object({
    readOnlyRootFilesystem: yes,
    allowPrivilegeEscalation: yes,
    capabilities: object({ drop: listOf(text) }),
  }),
  livenessProbe: probe,
  readinessProbe: probe,
  volumeMounts: listOf(object({ name, mountPath: text, readOnly: yes })),
});
const pod = object({
  serviceAccountName: name,
  // The variables of a Service whose name begins with "service" are no settings, and stop the start.
  enableServiceLinks: only(false),
  terminationGracePeriodSeconds: count,
  // The last one is asked for where a namespace enforces the standard `restricted`.
  securityContext: object({
    runAsNonRoot: yes,
    runAsUser: count,
    fsGroup: count,
    seccompProfile: object({ type: only('RuntimeDefault') }),
  }),
  containers: listOf(container),
  volumes: listOf(object({ name, secret: object({ secretName: name }) })),
});
const selector = object({ matchLabels: labels });
const kinds = {
  Deployment: object({
    replicas: count,
    selector,
    template: object({ metadata: object({ labels }), spec: pod }),
  }),
  Service: object({ selector: labels, ports: listOf(object({ port, targetPort: port })) }),
  NetworkPolicy: object({
    podSelector: selector,
    policyTypes: listOf({ enum: ['Ingress', 'Egress'] }),
    ingress: listOf(object({ from: listOf(object({ podSelector: selector })), ports: listOf(object({ port })) })),
  }),
} as const;
const VERSIONS = { Deployment: 'apps/v1', Service: 'v1', NetworkPolicy: 'networking.k8s.io/v1' } as const;

async function readManifest() {
  const manifest = await readFile(join(ROOT, 'docs/kubernetes.yaml'), 'utf8');
  return { manifest, resources: parseAllDocuments(manifest, { strict: true }).map((each) => each.toJSON()) };
}

describe('the manifest for Kubernetes', () => {
  it('is of the form of its kinds, and fits a page', async () => {
    const { manifest, resources } = await readManifest();
    expect(manifest.split('\n').length).toBeLessThanOrEqual(MOST_LINES);
    expect(resources.map(({ kind }) => kind)).toStrictEqual(Object.keys(kinds));
    const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
    for (const [index, [kind, spec]] of Object.entries(kinds).entries()) {
      const version = Object.entries(VERSIONS).find(([other]) => other === kind)?.[1] ?? '';
      const schema = object({ apiVersion: only(version), kind: only(kind), metadata: object({ name }), spec });
      expect([ajv.validate(schema, resources[index]), ajv.errors]).toStrictEqual([true, null]);
    }
  });

  it('runs two replicas on one table, whose parts fit together and which are given time to stop', async () => {
    const [{ spec }, service, policy] = (await readManifest()).resources;
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
    expect(adapter.readinessProbe.exec.command.slice(-3)).toStrictEqual(['ready', ...settings]);
    const env = Object.fromEntries(adapter.env.map((each: { name: string; value: string }) => [each.name, each.value]));
    const { AWS_REGION: _region, ...ours } = env;
    const image = { SERVICE_HOST: '0.0.0.0', SERVICE_PORT: String(adapter.ports[0].containerPort) };
    const trading = { SERVICE_PRIVATE_KEY: '11'.repeat(32), SERVICE_PLACE_ORDER: '1', SERVICE_REMOTE_ORDERS: '1' };
    expect(parseLocalConfig({ ...image, ...ours, ...trading })).toMatchObject({
      storePath: 'dynamodb:orders',
      allowedHosts: [service.metadata.name],
      orders: { kind: 'on' },
    });
  });
});
