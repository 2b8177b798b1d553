/** Bounds of the buckets in which servers count, and what is typical there. */
export interface BucketLayout {
  readonly bounds: readonly number[];
  /** What a value of one is in the layout's unit. */
  readonly scale: number;
}

/** Bucket layouts by the server and metric that have them. */
export const LAYOUTS = {
  vllmTtft: {
    bounds: [
      ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      ...[20, 40, 80, 160, 640, 2560],
    ],
    scale: 0.3,
  },
  vllmItl: {
    bounds: [
      ...[0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      ...[20, 40, 80],
    ],
    scale: 0.04,
  },
  vllmE2e: {
    bounds: [
      ...[0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960],
      ...[1920, 7680],
    ],
    scale: 8,
  },
  /** What older versions have for the time to the first token: nothing above 10 s. */
  vllmShort: {
    bounds: [
      ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    ],
    scale: 4,
  },
  sglangTtft: {
    bounds: [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400],
    scale: 0.7,
  },
  sglangItl: {
    bounds: [
      ...[0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08],
      ...[0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8],
    ],
    scale: 0.022,
  },
  sglangE2e: {
    bounds: [
      ...[0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600],
      ...[1200, 1800, 2400],
    ],
    scale: 12,
  },
  dynamoTtft: {
    bounds: [
      ...[0, 0.0022, 0.0047, 0.01, 0.022, 0.047, 0.1, 0.22, 0.47, 1, 2.2, 4.7, 10, 22, 48],
      ...[100, 220, 480],
    ],
    scale: 0.4,
  },
  dynamoItl: {
    bounds: [
      ...[0, 0.0018, 0.0033, 0.0059, 0.011, 0.02, 0.035, 0.064, 0.12, 0.21, 0.38, 0.69, 1.2],
      ...[2.3, 4.1, 7.4, 13, 24, 44, 80],
    ],
    scale: 0.03,
  },
  dynamoE2e: { bounds: [0, 2, 4, 8, 16, 32, 64, 130, 260, 510], scale: 9 },
  /** The same with requests so short that all fall into the first bucket. */
  dynamoShort: { bounds: [2, 4, 8, 16, 32, 64, 130, 260, 510], scale: 0.3 },
  tokens: {
    bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000],
    scale: 300,
  },
} as const satisfies Readonly<Record<string, BucketLayout>>;

/** Name of a bucket layout. */
export type LayoutName = keyof typeof LAYOUTS;

/** Groups of layouts that a shape makes sense in. */
export const LATENCIES: readonly LayoutName[] = [
  ...["vllmTtft", "vllmItl", "vllmE2e", "sglangTtft", "sglangItl", "sglangE2e"] as const,
  ...["dynamoTtft", "dynamoItl", "dynamoE2e"] as const,
];
export const REQUEST_LATENCIES: readonly LayoutName[] = ["vllmE2e", "sglangE2e", "dynamoE2e"];
export const TOKEN_LATENCIES: readonly LayoutName[] = ["vllmItl", "sglangItl", "dynamoItl"];
