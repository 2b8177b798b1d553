import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { CanaryOrders } from "../../load/worker/canary_reader.ts";

/** How canaries are read: as the replies that they stand for are. */
export function canaryReading(
  { body, canaryTransport, reuse, transport }: Pick<
    RunPlan,
    "body" | "canaryTransport" | "reuse" | "transport"
  >,
): Pick<CanaryOrders, "transport" | "asked" | "reuse"> {
  if ((canaryTransport ?? transport) === "socket") return { transport: "socket" };
  // The runtime's own client reads what a reply begins with a few turns later than what follows.
  return { transport: "fetch", asked: body.streaming ? "first" : "any", reuse };
}
