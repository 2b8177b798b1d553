/** What is said of a barrier, whichever way the shards meet. */

/** How long is waited, and which option says so. */
export function withinTimeout(timeoutMs: number): string {
  return `within ${timeoutMs / 1000} s (--rendezvous-timeout)`;
}

/** @param missing those who are not ready, in words; undefined if all are */
export function goesOnWithout(missing: string | undefined): string | undefined {
  return missing === undefined ? undefined : `The others go on without ${missing}`;
}

/** @param reason why there is nobody to agree with */
export function goesOnAlone(reason: string): string {
  return `${reason}: this shard goes on by itself`;
}

/** @param unfinished those who are still at work, in words; undefined if nobody is */
export function notOver(unfinished: string | undefined): string | undefined {
  if (unfinished === undefined) return undefined;
  return `${unfinished.charAt(0).toUpperCase()}${unfinished.slice(1)} did not come to an end`;
}

/** @param refusal why a shard is not let in */
export function refusalTold(index: number, host: string, refusal: string): string {
  return `Shard ${index} from ${host} was refused: ${refusal}`;
}
