import type { Sentence } from '../../shared/settings/formats.ts';

/** The closest region to the venue (eu-west-2, London) from which it accepts orders. */
const RECOMMENDED = 'eu-west-1';

/**
 * AWS regions in countries, states and provinces from which the venue takes no new orders, on its API either (its
 * geographic restrictions of September 2026). Reads are not restricted.
 */
const REFUSED: Readonly<Record<string, string>> = {
  'ap-east-2': 'Taiwan',
  'ap-southeast-1': 'Singapore',
  'ap-southeast-2': 'Australia',
  'ap-southeast-4': 'Australia',
  'ap-southeast-6': 'New Zealand',
  'ap-southeast-7': 'Thailand',
  'ca-central-1': 'Quebec',
  'ca-west-1': 'Alberta',
  'eu-central-1': 'Germany',
  'eu-south-1': 'Italy',
  'eu-west-2': 'the United Kingdom',
  'eu-west-3': 'France',
  'eusc-de-east-1': 'Germany',
  'sa-east-1': 'Brazil',
};

/** Returns what is wrong with the region of orders. One that is given and malformed is reported where it is parsed. */
export function problemOfRegion(region: string | undefined, isGiven: boolean): Sentence {
  if (!region) return !isGiven && `region is required with orders: ${RECOMMENDED} is closest to the venue.`;
  // All of them, GovCloud included.
  const country = region.startsWith('us-') ? 'the United States' : REFUSED[region];
  return country && `The venue refuses orders from ${region} (${country}); ${RECOMMENDED} is closest to it.`;
}
