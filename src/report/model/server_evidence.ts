import type { RoleName } from "../../telemetry/engines/roles.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import { waitedPool } from "./pool_rates.ts";
import type { RoleFigure } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";
import { meanTime } from "./ttft_times.ts";

/** Metrics of the servers in the window that is shown; undefined if they are not reported. */
export type ServerEvidence = Pick<
  Evidence,
  | "isPair"
  | "waitedPool"
  | "poolWaiting"
  | "queueMs"
  | "prefillMs"
  | "running"
  | "runningMax"
  | "waiting"
  | "waitingMax"
  | "kvMax"
  | "preemptions"
>;

/** The evidence that servers give, all instances of a layer together. */
export function serverEvidence(roles: ServerRoles): ServerEvidence {
  const running = level(roles, "running");
  const wait = roles.pools.length === 0 ? undefined : waitedPool(roles);
  const waiting = level(roles, "waiting");
  const kv = level(roles, "kv_usage");
  const kvMax = kv?.stats["max"];
  return {
    ...(roles.pools.length === 0 ? {} : {
      isPair: true,
      waitedPool: wait?.pool,
      poolWaiting: wait?.waiting,
    }),
    queueMs: meanMs(roles, "queue"),
    prefillMs: meanMs(roles, "prefill"),
    running: running?.stats["avg"],
    runningMax: running?.stats["max"],
    waiting: waiting?.stats["avg"],
    waitingMax: waiting?.stats["max"],
    kvMax: kvMax === undefined ? undefined : kv?.unit === "percent" ? kvMax / 100 : kvMax,
    preemptions: roles.figure("preemptions")?.stats["total"],
  };
}

/** A level of the window; undefined if a page came only before or after it. */
function level(roles: ServerRoles, role: RoleName): RoleFigure | undefined {
  const figure = roles.figure(role);
  return figure?.lateSeconds === undefined ? figure : undefined;
}

/** Mean of a time; undefined if nothing was observed in the window. */
function meanMs(roles: ServerRoles, role: RoleName): number | undefined {
  // A decode instance queues each request once more, and its prefill is one step.
  return meanTime(roles, role, roles.prefilling)?.ms;
}
