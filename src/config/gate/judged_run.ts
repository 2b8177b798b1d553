import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";
import type { JudgedServers, ServerFigures } from "./server_figure.ts";
import type { TruthFigure } from "./truth_figure.ts";
import { unitOf } from "./unit.ts";

/** The statistics of a client metric. */
export interface ClientFigures {
  readonly unit: string;
  /** By their names; a metric of one value has it as `avg`. */
  readonly stats: Readonly<Record<string, number>>;
}

/** A run as gates see it. */
export interface JudgedRun {
  /** By tags. */
  readonly client: ReadonlyMap<string, ClientFigures>;
  /** undefined if servers' metrics were not collected. */
  readonly server: JudgedServers | undefined;
  /** Values of each GPU, and of all of a maker; undefined if GPU telemetry was not collected. */
  readonly gpu?: readonly ServerFigures[] | undefined;
  /** Values that servers report about themselves; undefined if they were not evaluated. */
  readonly truth?: ReadonlyMap<string, TruthFigure> | undefined;
  /** Client error bounds of statistics by the tags of their metrics; empty if not measured. */
  readonly bounds: MeasurementError["metrics"];
  /** Confidence intervals of statistics by the tags of their metrics; missing if they are not known. */
  readonly sampling?: SamplingErrors;
  /** Metrics whose values decide no objective, by tag, and the reason; missing for none. */
  readonly undecided?: ReadonlyMap<string, string>;
}

/** Whether the client may have shifted values of a unit by an unknown amount. */
export function isErrorUnknown(unit: string, { bounds }: JudgedRun): boolean {
  return bounds.size === 0 && (unitOf(unit)?.dimension.includes("time") ?? false);
}
