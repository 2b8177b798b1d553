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
  { inputFile, publicDataset, verify, verifySample, verifyTasks }: Pick<
    ProfileSettings,
    "inputFile" | "publicDataset" | "verify" | "verifySample" | "verifyTasks"
  >,
  type: EndpointType,
): VerifyPlan | undefined {
  if (verify === undefined && verifyTasks === undefined) return undefined;
  const names = (verify ?? []).flatMap((text) => text.split(",")).map((name) => name.trim());
  for (const name of names) {
    if (!CHECKS.includes(name)) {
      throw new UsageError("--verify", `Expected ${CHECKS.join(" or ")}, got "${name}"`);
    }
  }
  const hasText = type.producesTokens && type.writer.job === undefined && type.body.isJson;
  if (!hasText) {
    const flag = verify === undefined ? "--verify-tasks" : "--verify";
    throw new UsageError(flag, "Replies of this --endpoint-type have no text");
  }
  const hasTasks = verifyTasks !== undefined;
  const isSynthetic = inputFile === undefined && publicDataset === undefined;
  if (names.includes("answers") && isSynthetic && !hasTasks) {
    throw new UsageError(
      "--verify",
      "answers needs expected answers; use --input-file with rows that have them, or --verify-tasks",
    );
  }
  return {
    ...(names.includes("drift") ? { sample: verifySample } : {}),
    ...(names.includes("answers") || hasTasks ? { answers: true } : {}),
  };
}
