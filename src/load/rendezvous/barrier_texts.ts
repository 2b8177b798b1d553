/** Messages about a barrier, independent of how the shards communicate. */

/** Returns how long the barrier waits, and which option sets that time. */
export function withinTimeout(timeoutMs: number): string {
  return `within ${timeoutMs / 1000} s (--rendezvous-timeout)`;
}

/** @param missing description of the shards that are not ready; undefined if all are */
export function goesOnWithout(missing: string | undefined): string | undefined {
  return missing === undefined ? undefined : `The others continue without ${missing}`;
}

/** @param reason why there is no other shard to agree with */
export function goesOnAlone(reason: string): string {
  return `${reason}: this shard continues on its own`;
}

/**
 * @param unfinished description of the shards that are still at work; undefined if there are none
 */
export function notOver(unfinished: string | undefined): string | undefined {
  if (unfinished === undefined) return undefined;
  return `${unfinished.charAt(0).toUpperCase()}${unfinished.slice(1)} did not come to an end`;
}

/** @param refusal why a shard is refused */
export function refusalTold(index: number, host: string, refusal: string): string {
  return `Shard ${index} from ${host} was refused: ${refusal}`;
}
