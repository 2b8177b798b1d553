/** Parts of a plan that shards have differently. */

import { type Shard, shardFolderName } from "../../shard/shard.ts";
import type { OutputPlan, RunPlan } from "../run_plan.ts";
import type { ResolvedServers } from "../servers/resolve_servers.ts";

/** Returns the endpoints to scrape during the run; every shard would read equal pages. */
export function pagesOfShard(
  { serverMetrics, gpuTelemetry }: Pick<ResolvedServers, "serverMetrics" | "gpuTelemetry">,
  shard: Shard | undefined,
): Pick<RunPlan, "serverMetrics" | "gpuTelemetry"> {
  const isFirst = (shard?.index ?? 0) === 0;
  return {
    serverMetrics: isFirst ? serverMetrics : undefined,
    gpuTelemetry: isFirst ? gpuTelemetry : undefined,
  };
}

/** Each shard has a folder of its own inside of that which they all name. */
export function outputOfShard(output: OutputPlan, shard: Shard | undefined): OutputPlan {
  if (shard === undefined) return output;
  return {
    ...output,
    directory: `${output.directory.replace(/(?<=.)\/+$/, "")}/${shardFolderName(shard)}`,
    existing: output.existing === "overwrite" ? "overwrite" : "refuse",
  };
}
