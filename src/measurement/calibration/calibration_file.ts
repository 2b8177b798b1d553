import * as z from "npm:zod@4.6.7";
import type { Calibration } from "./calibration.ts";

/** Version that distinguishes these files from other JSON files and from later layouts. */
const SCHEMA_VERSION = "1.0";

const count = z.number().int().nonnegative();
const rate = z.number().nonnegative();

const FILE = z.object({
  "schema_version": z.literal(SCHEMA_VERSION),
  "inferometer_version": z.string(),
  "date": z.iso.datetime(),
  "machine": z.object({
    "hostname": z.string(),
    "os": z.string(),
    "arch": z.string(),
    "cores": count,
  }),
  "limits": z.array(z.object({
    "workers": count.min(1),
    "metric": z.enum(["time_to_first_token", "inter_token_latency"]),
    "error_share": z.number().positive(),
    "streams": count,
    "events_per_second": rate,
    "requests_per_second": rate,
    "reached": z.boolean(),
  })).min(1),
});

const TAGS = { ttft: "time_to_first_token", itl: "inter_token_latency" } as const;

/** The text of the file that keeps a calibration. */
export function calibrationText({ machine, version, date, limits }: Calibration): string {
  const { hostname, os, arch, cores } = machine;
  const file: z.infer<typeof FILE> = {
    "schema_version": SCHEMA_VERSION,
    "inferometer_version": version,
    "date": date,
    "machine": { hostname, os, arch, cores },
    "limits": limits.map((limit) => ({
      "workers": limit.workers,
      "metric": TAGS[limit.metric],
      "error_share": limit.share,
      "streams": limit.streams,
      "events_per_second": Math.round(limit.eventsPerSecond),
      "requests_per_second": Math.round(limit.requestsPerSecond),
      "reached": !limit.isOpen,
    })),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/**
 * Reads a calibration from its text.
 * @throws {SyntaxError} in one sentence, if the text is not a calibration
 */
export function parseCalibration(text: string): Calibration {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SyntaxError("It is not JSON");
  }
  const { data, error } = FILE.safeParse(json);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new SyntaxError(`${issue?.path.join(".") || "It"}: ${issue?.message}`);
  }
  return {
    machine: data.machine,
    version: data.inferometer_version,
    date: data.date,
    limits: data.limits.map((limit) => ({
      workers: limit.workers,
      metric: limit.metric === TAGS.ttft ? "ttft" : "itl",
      share: limit.error_share,
      streams: limit.streams,
      eventsPerSecond: limit.events_per_second,
      requestsPerSecond: limit.requests_per_second,
      isOpen: !limit.reached,
    })),
  };
}
