/** Fees of the venue's categories: name, rate for takers, share that is given to makers; the others are free. */
export const CATEGORIES = {
  crypto: { type: 'crypto_fees_v2', rate: '0.07', rebateRate: 0.2 },
  culture: { type: 'culture_fees', rate: '0.05', rebateRate: 0.25 },
  geopolitics: null,
  politics: { type: 'politics_fees', rate: '0.04', rebateRate: 0.25 },
  sports: { type: 'sports_fees_v3', rate: '0.05', rebateRate: 0.15 },
  weather: { type: 'weather_fees', rate: '0.05', rebateRate: 0.25 },
} as const;

/** Differences of an invented market from the plain one at tick 0.01; no real market is described here. */
export interface Invention {
  readonly question: string;
  /** Middle of the first quotes, a decimal. */
  readonly mid: string;
  /** Decides the fees; geopolitics unless given. */
  readonly category?: keyof typeof CATEGORIES;
  readonly tick?: string;
  readonly version?: 'v1' | 'v2';
  /** Title of the event of which this market is one of several exclusive outcomes. */
  readonly negRiskEvent?: string;
  readonly flaw?: 'closed' | 'not-accepting' | 'no-book' | 'no-ids';
  readonly closesSoon?: boolean;
  readonly ended?: boolean;
  readonly withoutAsks?: boolean;
}

const REGATTA = { negRiskEvent: 'Which crew wins the Lantern Bay regatta?', category: 'sports' } as const;
const BAKERY = { negRiskEvent: 'Which bakery wins the Harbour Street rye prize?', category: 'culture' } as const;

const plain: readonly Invention[] = [
  { question: 'Will the Copper Lake ferry run on Founders Day?', mid: '0.52', category: 'politics' },
  { question: 'Will the Vellmar observatory name its new comet this year?', mid: '0.31' },
  { question: 'Will the Tamsin Bridge reopen before the spring fair?', mid: '0.74', category: 'politics' },
  { question: 'Will it snow in Ostrava Minor on the first of January?', mid: '0.18', category: 'weather' },
  { question: 'Will the Quillon orchestra play an encore at its gala?', mid: '0.66', category: 'culture' },
  { question: 'Will the Brightwater library lend a million books?', mid: '0.45', category: 'culture' },
  { question: 'Will the old lighthouse at Pell Point be painted red?', mid: '0.5' },
  { question: 'Will the Amber Valley harvest beat last year?', mid: '0.59', ended: true },
  { question: 'Will the night train to Sollen arrive on time all week?', mid: '0.27' },
];

const exclusive: readonly Invention[] = [
  { ...REGATTA, question: 'Will the Herons win the Lantern Bay regatta?', mid: '0.34' },
  { ...REGATTA, question: 'Will the Kestrels win the Lantern Bay regatta?', mid: '0.27' },
  { ...REGATTA, question: 'Will the Otters win the Lantern Bay regatta?', mid: '0.19' },
  { ...REGATTA, question: 'Will the Magpies win the Lantern Bay regatta?', mid: '0.124', tick: '0.001' },
  { ...REGATTA, question: 'Will the Badgers win the Lantern Bay regatta?', mid: '0.051', tick: '0.001' },
  { ...REGATTA, question: 'Will the Moles win the Lantern Bay regatta?', mid: '0.012', tick: '0.001' },
];

const ticks: readonly Invention[] = [
  { question: 'Will a purple frog be found in the Marsh of Ennis?', mid: '0.035', tick: '0.001' },
  { question: 'Will the Dunmore clock strike thirteen?', mid: '0.968', tick: '0.001' },
  { question: 'Will the Silver Creek well run dry by summer?', mid: '0.0042', tick: '0.0001' },
  { question: 'Will the Fenwick choir sing in the old quarry?', mid: '0.415', category: 'culture', tick: '0.005' },
  { question: 'Will the Corran tunnel be dug by midsummer?', mid: '0.2225', tick: '0.0025' },
  { question: 'Will the mayor of Little Thorne wear a green hat?', mid: '0.5', category: 'politics', tick: '0.1' },
  { question: 'Will the moon festival be held on the sea?', mid: '0.997', tick: '0.001', withoutAsks: true },
];

const secondProtocol: readonly Invention[] = [
  { question: 'Will the glass tower of Ilmar be finished this year?', mid: '0.63', version: 'v2' },
  { question: 'Will the Rowan Pass stay open through the winter?', mid: '0.4', version: 'v2' },
  { question: 'Will the deep-sea bell ring at the solstice?', mid: '0.085', tick: '0.001', version: 'v2' },
  { ...BAKERY, question: 'Will Alder & Sons win the rye prize?', mid: '0.55', version: 'v2' },
  { ...BAKERY, question: 'Will the Windmill Ovens win the rye prize?', mid: '0.36', version: 'v2' },
];

const special: readonly Invention[] = [
  { question: 'Will the evening tide pass the third step?', mid: '0.48', category: 'weather', closesSoon: true },
  { question: 'Did the Saint Orrin parade start on time?', mid: '0.99', flaw: 'closed' },
  { question: 'Will the Thistle Cup be replayed?', mid: '0.5', category: 'sports', flaw: 'not-accepting' },
  { question: 'Will the paper mill of Anso change its logo?', mid: '0.5', flaw: 'no-book' },
  { question: 'Will the northern lights be seen from Port Lune?', mid: '0.5', flaw: 'no-ids' },
];

const crypto: readonly Invention[] = [
  { question: 'Will a Ferncoin buy two loaves at the end of the week?', mid: '0.57', category: 'crypto' },
];

/** Markets of the paper venue, in the order of their ids. */
export const INVENTIONS: readonly Invention[] = [
  ...plain,
  ...exclusive,
  ...ticks,
  ...secondProtocol,
  ...special,
  ...crypto,
];
