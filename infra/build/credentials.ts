/**
 * Replaces the SDK's chain of credential providers: Lambda gives a function its role in environment variables. Profiles,
 * SSO and metadata services would be code that can only slow a cold start.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
