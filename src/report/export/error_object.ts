import type { ErrorDetails } from "../model/error_details.ts";

/**
 * Returns the reason why a request failed, in the form of AIPerf's files; the kind is inferometer's
 * addition.
 */
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
