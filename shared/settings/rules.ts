import type { Sentence } from './formats.ts';
import { type SETTINGS, type ValuesOf, variableOf } from './table.ts';

// Rules across settings, for the local server, the deployed functions and synth. A sentence names variables; `inSettings`
// replaces them with the names of a deployment's settings.

type Given = ValuesOf<typeof SETTINGS.orders>;
export type OrderValues = Partial<Omit<Given, 'placeOrder'>> &
  Pick<Given, 'clientVerification'> & { readonly privateKey?: unknown };

/** Returns the sentence about an account that only a key can name. */
export function funderRule({ signatureType = 'eoa', funderAddress }: OrderValues): Sentence {
  if (signatureType === 'eoa' || funderAddress) return undefined;
  return 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.';
}

/** Returns sentences about settings of keys and clients that do not go together. */
export function orderRules(values: OrderValues): readonly Sentence[] {
  const keys = (['privateKey', 'privateKeySecret', 'kmsKey'] as const).filter((name) => values[name]).map(variableOf);
  const unverified = (['allowedClients', 'maxDailyNotionalPerClient', 'clientRpcUrl'] as const).filter(
    (name) => values.clientVerification === 'off' && values[name],
  );
  return [
    keys.length > 1 && `${keys.join(' and ')} exclude each other: set one of them.`,
    values.credentialsSecret && !values.kmsKey && 'SERVICE_CREDENTIALS_SECRET needs SERVICE_KMS_KEY.',
    ...unverified.map(
      (name) => `${variableOf(name)} needs SERVICE_CLIENT_VERIFICATION=required: any caller can claim an address.`,
    ),
    (values.clientRpcUrl === undefined) !== (values.clientChainId === undefined) &&
      'SERVICE_CLIENT_RPC_URL and SERVICE_CLIENT_CHAIN_ID go together: set both, or none.',
  ];
}
