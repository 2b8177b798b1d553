import type { SampleTraffic } from "../../measurement/answers/drift_findings.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import type { RoleFigure } from "./role_figure.ts";

/** Counts of the sample under load by the role that servers report them as. */
const COUNTED: Readonly<Partial<Record<RoleName, keyof SampleTraffic>>> = {
  "requests": "requests",
  "prompt_tokens": "promptTokens",
  "generation_tokens": "completionTokens",
};

/**
 * The count of servers without the requests of the sample of --verify; undefined if it is not known
 * what servers count of them. Times stay as they are.
 */
export function withoutSample(
  figure: RoleFigure | undefined,
  role: RoleName,
  sample: SampleTraffic | undefined,
): RoleFigure | undefined {
  const name = COUNTED[role];
  const total = figure?.stats["total"];
  if (figure === undefined || sample === undefined || name === undefined || total === undefined) {
    return figure;
  }
  const own = sample[name];
  return own === undefined
    ? undefined
    : { ...figure, stats: { ...figure.stats, "total": total - own } };
}
