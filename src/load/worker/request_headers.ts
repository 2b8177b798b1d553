import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";

/** Header that all requests of a session share, unless it was given another name. */
export const SESSION_HEADER = "X-Correlation-ID";

/**
 * The header lines that all requests to a target share: what the user gave, the authorization, and
 * what the endpoint needs. A header that the user gave replaces ours of the same name.
 */
export function sharedHeaderLines(
  plan: Pick<RunPlan, "headers" | "body">,
  type: Pick<EndpointType, "body" | "headers" | "writer">,
  target: Target,
  userAgent: string,
): string {
  const given = new Set(plan.headers.map(([name]) => name.toLowerCase()));
  const [streamType = "text/event-stream"] = type.writer.stream?.contentType.split(";") ?? [];
  const own: [string, string][] = [
    ["User-Agent", userAgent],
    ["Accept", plan.body.streaming ? streamType : "application/json"],
    // A proxy that compresses a stream also batches it.
    ["Accept-Encoding", "identity"],
    ["Content-Type", type.body.contentType],
    ...(type.headers ?? []).map(([name, value]): [string, string] => [name, value]),
  ];
  if (target.authorization !== undefined) own.push(["Authorization", target.authorization]);
  return [...own.filter(([name]) => !given.has(name.toLowerCase())), ...plan.headers]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
