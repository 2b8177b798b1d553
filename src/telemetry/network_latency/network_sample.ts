/** A probe of the network path to a server: the time to establish a TCP connection. */
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
  /** Address of the host name: resolved once, so that no probe includes it. */
  readonly address: string;
  readonly port: number;
}

/** Mean of the probes that succeeded, nanoseconds; undefined without any. */
export function meanRttNs(samples: readonly NetworkSample[]): number | undefined {
  const rtts = samples.flatMap(({ rttNs }) => rttNs ?? []);
  return rtts.length === 0 ? undefined : rtts.reduce((sum, rttNs) => sum + rttNs, 0) / rtts.length;
}
