import type { Engine } from "../../telemetry/engines/engine.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Size of the servers' prefix caches, by their own configuration. */
export interface CacheShape {
  /** Tokens of a block; undefined if it is not known. */
  readonly blockSize: number | undefined;
  /** Tokens of all instances that prefill; undefined if they are not known. */
  readonly capacityTokens: number | undefined;
}

/** The size of the caches that prompts can be found in. */
export function cacheShape(roles: ServerRoles | undefined): CacheShape {
  if (roles === undefined) return { blockSize: undefined, capacityTokens: undefined };
  const blockSize = blockSizeOf(roles);
  return { blockSize, capacityTokens: capacityOf(roles, blockSize) };
}

function blockSizeOf(roles: ServerRoles): number | undefined {
  // A front reports the size for the workers behind it.
  const reported = roles.figure("kv_block_size", roles.prefilling)?.stats["max"] ??
    roles.figure("kv_block_size")?.stats["max"];
  if (reported !== undefined && reported > 0) return reported;
  return roles.engines.map(({ engine }) => engine.cacheBlockTokens).find((size) =>
    size !== undefined
  );
}

/** The reported capacity, else blocks by their size without those that an engine never uses. */
function capacityOf(roles: ServerRoles, blockSize: number | undefined): number | undefined {
  const reported = roles.figure("kv_capacity_tokens", roles.prefilling)?.stats["max"];
  if (reported !== undefined && reported > 0) return reported;
  const blocks = roles.figure("kv_blocks", roles.prefilling) ?? roles.figure("kv_blocks");
  // A front reports the blocks of one of the workers behind it.
  const workers = blocks?.layer === "front" ? prefillingWorkers(roles) : 1;
  const count = (blocks?.stats["max"] ?? 0) * workers;
  if (blocks === undefined || count <= 0 || blockSize === undefined) return undefined;
  const engines: readonly Engine[] = roles.engines.map(({ engine }) => engine);
  const unusable = engines.find(({ name }) => blocks.engines.includes(name))?.unusableBlocks ?? 0;
  return (count - unusable * blocks.instances) * blockSize;
}

/** Number of scraped workers that prefill. */
function prefillingWorkers(roles: ServerRoles): number {
  return roles.figure("running", { layers: ["worker"], ...roles.prefilling })?.endpoints.length ??
    0;
}
