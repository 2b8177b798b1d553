import type { ClientCertificate } from "../../client/http/transport.ts";
import type { RunPlan } from "./run_plan.ts";

/** Access to a server outside of a benchmark. */
export interface ServerAccess {
  /** How long to wait for it at most; 0 for not at all. */
  readonly readinessTimeoutNs: number;
  readonly readinessMode?: RunPlan["readinessMode"];
  readonly readinessIntervalNs?: number | undefined;
  readonly headers: RunPlan["headers"];
  readonly caCerts: readonly string[];
  readonly systemCerts: readonly string[];
  readonly clientCert: ClientCertificate | undefined;
  readonly transport: RunPlan["transport"];
}
