import { Stack, Validations } from 'aws-cdk-lib';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { IConstruct } from 'constructs';

/** Acknowledges findings of cdk-nag where they arise, each with its reason. */

/** Why a route has no authorizer. */
const OPEN = {
  read: 'The venue publishes this data without authorization, and so does the contract of the service; a throttle per route bounds its use.',
  preflight: 'It answers preflights, which browsers send without credentials, and nothing else.',
  refusal:
    'The function behind it cannot trade: it answers preflights, which cannot be signed, and refuses everything else.',
  public: 'The operator chose orderAccess=public, which synth answers with a warning that says who may then trade.',
} as const;

/** Acknowledges that everybody may call a route. */
export function acknowledgeOpenRoute(route: IConstruct, why: keyof typeof OPEN): void {
  Validations.of(route).acknowledge({ id: 'AwsSolutions::AwsSolutions-APIG4', reason: OPEN[why] });
}

/** Acknowledges a trailing wildcard in a resource of a role's policy; each one is a separate finding. */
export function acknowledgeWildcard(role: IConstruct, resource: string, reason: string): void {
  const name = flattenCfnReference(Stack.of(role).resolve(resource));
  Validations.of(role).acknowledge({ id: `AwsSolutions::AwsSolutions-IAM5[Resource::${name}]`, reason });
}
