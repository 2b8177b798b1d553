import type { ErrorDetails } from "../model/error_details.ts";

/** The reason why a request failed, as AIPerf's files have it; the kind is ours. */
export function errorObject(
  { status, type, message, kind }: ErrorDetails,
): Record<string, unknown> {
  return {
    ...(status === null ? {} : { "code": status }),
    "type": type,
    "message": message,
    "kind": kind,
  };
}
