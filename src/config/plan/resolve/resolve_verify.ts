import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { VerifyPlan } from "../verify_plan.ts";

/** Checks that `--verify` takes. */
const CHECKS: readonly string[] = ["drift", "answers"];

/**
 * Returns the checks of answers that a run asks for; undefined for none.
 * @throws {UsageError} for an unknown check, or one that the endpoint type cannot have
 */
export function resolveVerify(
  { inputFile, publicDataset, verify, verifySample }: Pick<
    ProfileSettings,
    "inputFile" | "publicDataset" | "verify" | "verifySample"
  >,
  type: EndpointType,
): VerifyPlan | undefined {
  if (verify === undefined) return undefined;
  const names = verify.flatMap((text) => text.split(",")).map((name) => name.trim());
  for (const name of names) {
    if (!CHECKS.includes(name)) {
      throw new UsageError("--verify", `Expected ${CHECKS.join(" or ")}, got "${name}"`);
    }
  }
  const hasText = type.producesTokens && type.writer.job === undefined && type.body.isJson;
  if (!hasText) {
    throw new UsageError("--verify", "Replies of this --endpoint-type have no text");
  }
  if (names.includes("answers") && inputFile === undefined && publicDataset === undefined) {
    throw new UsageError(
      "--verify",
      "answers needs expected answers; use --input-file with rows that have them",
    );
  }
  return {
    ...(names.includes("drift") ? { sample: verifySample } : {}),
    ...(names.includes("answers") ? { answers: true } : {}),
  };
}
