import type { Origin } from "../../client/http/transport.ts";

/** Place of a system that is reached over HTTP. */
export interface SystemPlace {
  readonly origin: Origin;
  /** Path that the system's own paths are joined to, without a slash at its end. */
  readonly path: string;
  /** Query that every request carries, with its question mark; empty for none. */
  readonly query: string;
  /** The URL as it may be shown: credentials replaced. */
  readonly redactedUrl: string;
  /** Headers that every request carries, credentials of the URL among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A collector of OpenTelemetry data. */
export interface OtlpPlan {
  readonly place: SystemPlace;
  /** Share of the requests whose traces are sent. */
  readonly traceRatio: number;
  /** Time between two messages of metrics during the run; undefined for none. */
  readonly intervalNs: number | undefined;
  readonly resourceAttributes: readonly (readonly [key: string, value: string])[];
  /** `gen_ai.provider.name` of all requests. */
  readonly provider: string;
}

/** A tracking server of MLflow. */
export interface MlflowPlan {
  readonly place: SystemPlace;
  readonly experiment: string;
  /** undefined for the name of the run's folder. */
  readonly runName: string | undefined;
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly parentRunId: string | undefined;
  /** Which files of the run's folder it gets. */
  readonly artifactGlobs: readonly string[];
}

/** A file for the textfile collector of node_exporter. */
export interface TextfilePlan {
  readonly path: string;
  /** Temporary path next to it, where the text is written until it is complete. */
  readonly temporaryPath: string;
}

/** Systems besides the run's folder that get its results. */
export interface SystemsPlan {
  readonly textfile: TextfilePlan | undefined;
  readonly otlp: OtlpPlan | undefined;
  readonly mlflow: MlflowPlan | undefined;
  /** Maximum time for sending once the run is over, in milliseconds. */
  readonly timeoutMs: number;
  /** Certificates to trust besides the runtime's own. */
  readonly caCerts: readonly string[];
}

/** The names of the systems, in the order in which they are reported. */
export const SYSTEM_NAMES = ["textfile", "otlp", "mlflow"] as const;

/** See {@linkcode SYSTEM_NAMES}. */
export type SystemName = typeof SYSTEM_NAMES[number];
