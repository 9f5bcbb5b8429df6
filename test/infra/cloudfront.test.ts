import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';

/** The distribution that `docs/deployment.md` describes, in a stack. */
async function documented(): Promise<Template> {
  const page = await readFile('docs/deployment.md', 'utf8');
  const [, lines = ''] = /## CloudFront in front.*?```ts\n(.*?)```/s.exec(page) ?? [];
  const stack = new Stack(new App(), 'prices');
  const { AllowedMethods, CachePolicy, CacheQueryStringBehavior, Distribution } = cloudfront;
  const { OriginRequestPolicy, ViewerProtocolPolicy } = cloudfront;
  const names = {
    ...{ stack, Duration, HttpOrigin, AllowedMethods, CachePolicy, CacheQueryStringBehavior, Distribution },
    ...{ OriginRequestPolicy, ViewerProtocolPolicy },
  };
  new Function(...Object.keys(names), lines)(...Object.values(names));
  return Template.fromStack(stack);
}

it('the documented distribution holds books and lists for a second, and nothing else', async () => {
  const template = await documented();
  template.hasResourceProperties('AWS::CloudFront::CachePolicy', {
    CachePolicyConfig: {
      ...{ MinTTL: 0, DefaultTTL: 0, MaxTTL: 1 },
      ParametersInCacheKeyAndForwardedToOrigin: {
        QueryStringsConfig: { QueryStringBehavior: 'all' },
        HeadersConfig: { HeaderBehavior: 'none' },
        CookiesConfig: { CookieBehavior: 'none' },
      },
    },
  });
  const exceptHost = {
    OriginRequestPolicyId: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
  };
  const hold = { ...exceptHost, CachePolicyId: { Ref: Match.anyValue() }, AllowedMethods: ['GET', 'HEAD', 'OPTIONS'] };
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      DefaultCacheBehavior: { ...exceptHost, CachePolicyId: cloudfront.CachePolicy.CACHING_DISABLED.cachePolicyId },
      CacheBehaviors: [
        { PathPattern: '/v1/markets', ...hold },
        { PathPattern: '/v1/book/*', ...hold },
      ],
      CustomErrorResponses: Match.arrayWith([{ ErrorCode: 502, ErrorCachingMinTTL: 0 }]),
    },
  });
  const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
  expect(distribution?.['Properties'].DistributionConfig.Origins).toMatchObject([{ OriginShield: { Enabled: true } }]);
});
