import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { ExpectationPlan } from "../run_plan.ts";

/**
 * Returns the required content of valid replies; undefined if nothing is required.
 * @throws {UsageError} if the pattern cannot be read, or replies have no text
 */
export async function resolveExpectation(
  { expectRegex, expectMinTokens }: Pick<ProfileSettings, "expectRegex" | "expectMinTokens">,
  type: EndpointType,
): Promise<ExpectationPlan | undefined> {
  if (expectRegex === undefined && expectMinTokens === undefined) return undefined;
  if (!type.producesTokens) {
    throw new UsageError(
      expectRegex === undefined ? "--expect-min-tokens" : "--expect-regex",
      "Replies of this --endpoint-type have no text",
    );
  }
  if (expectRegex !== undefined) await checkPattern(expectRegex);
  return { pattern: expectRegex, minTokens: expectMinTokens ?? 0 };
}

/** RE2 has no look-around and no back references: in return, no pattern can take long. */
async function checkPattern(pattern: string): Promise<void> {
  // Loaded only where it is asked for.
  const { RE2JS, RE2JSException } = await import("npm:re2js@2.10.0");
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UsageError("--expect-regex", `Not a pattern in RE2's syntax: ${error.message}`);
  }
}
