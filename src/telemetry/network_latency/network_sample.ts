/** A probe of the way to a server: how long a TCP connection took to come about. */
export interface NetworkSample {
  /** When it began, nanoseconds of the run's clock. */
  readonly atNs: number;
  /** The server's place among the targets. */
  readonly target: number;
  /** Nanoseconds; undefined if no connection came about. */
  readonly rttNs: number | undefined;
  /** Why none did. */
  readonly error?: string | undefined;
}

/** A place to connect to. */
export interface NetworkTarget {
  /** The server's URL as it may be shown. */
  readonly url: string;
  readonly hostname: string;
  /** What the name stands for: looked up once, so that no probe does. */
  readonly address: string;
  readonly port: number;
}

/** Mean of the probes that succeeded, nanoseconds; undefined without any. */
export function meanRttNs(samples: readonly NetworkSample[]): number | undefined {
  const rtts = samples.flatMap(({ rttNs }) => rttNs ?? []);
  return rtts.length === 0 ? undefined : rtts.reduce((sum, rttNs) => sum + rttNs, 0) / rtts.length;
}
