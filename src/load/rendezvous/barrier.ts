import { shardName } from "../../config/shard/shard.ts";
import type { ShardIntroduction, Stage } from "./messages.ts";

/** A shard that has come. */
interface Member extends ShardIntroduction {
  /** Tells one that comes again from another of the same index. */
  readonly instance: string;
  isThere: boolean;
  isOver: boolean;
}

/** Names that a message lists; of more only their number is said. */
const MAX_NAMED = 12;

/**
 * State of a common start as shard 0 knows it: which shards have joined, which are ready for which
 * stage, and which are missing. Independent of the way in which shards communicate.
 */
export class Barrier {
  readonly #self: ShardIntroduction;
  readonly #members = new Map<number, Member>();
  readonly #ready: Record<Stage, Set<number>> = { 0: new Set(), 1: new Set() };
  readonly #begun = new Set<Stage>();

  /** @param self shard 0, which is present from the beginning */
  constructor(self: ShardIntroduction) {
    this.#self = self;
    this.#members.set(0, { ...self, instance: "", isThere: true, isOver: false });
  }

  /**
   * Adds a shard.
   * @returns why it cannot join; undefined if it has joined
   */
  join(follower: ShardIntroduction, instance: string): string | undefined {
    const { shard, planHash, version } = this.#self;
    if (follower.version !== version) {
      return `it is ${follower.version}, shard 0 is ${version}`;
    }
    if (follower.shard.count !== shard.count) {
      return `it is one of ${follower.shard.count} shards, shard 0 is one of ${shard.count}`;
    }
    if (follower.shard.index >= shard.count) {
      return `there are ${shard.count} shards, numbered from 0`;
    }
    if (follower.planHash !== planHash) {
      return `its plan is another one than shard 0's (${follower.planHash.slice(0, 12)} and ` +
        `${planHash.slice(0, 12)}): the options that decide what is sent must be equal, the seed ` +
        "and input files included";
    }
    const { index } = follower.shard;
    const other = this.#members.get(index);
    if (other !== undefined && other.instance !== instance && (other.isThere || this.hasBegun(0))) {
      return `${shardName(follower.shard)} has come already, from ${other.host}`;
    }
    if (other === undefined && this.hasBegun(0)) return "the others have begun without it";
    this.#members.set(index, {
      ...follower,
      instance,
      isThere: true,
      isOver: other?.isOver ?? false,
    });
    return undefined;
  }

  /** A shard is gone, for now or for good. */
  leave(index: number): void {
    const member = this.#members.get(index);
    if (member !== undefined) member.isThere = false;
    for (const stage of [0, 1] as const) {
      if (!this.hasBegun(stage)) this.#ready[stage].delete(index);
    }
  }

  ready(index: number, stage: Stage): void {
    this.#ready[stage].add(index);
  }

  over(index: number): void {
    const member = this.#members.get(index);
    if (member !== undefined) member.isOver = true;
  }

  /** A stage has been given its start. */
  begin(stage: Stage): void {
    this.#begun.add(stage);
  }

  hasBegun(stage: Stage): boolean {
    return this.#begun.has(stage);
  }

  /**
   * Whether a stage can begin: the first one when all shards are ready, the second when all
   * remaining shards are. A shard that died during warm-up does not prevent the others from
   * measuring.
   */
  canBegin(stage: Stage): boolean {
    if (stage === 0) return this.#missing((index) => this.#ready[0].has(index)).length === 0;
    return [...this.#members].every(([index, { isThere, isOver }]) =>
      this.#ready[1].has(index) || !isThere || isOver
    );
  }

  /** Whether no shard is at work. */
  get isOver(): boolean {
    return [...this.#members.values()].every(({ isThere, isOver }) => !isThere || isOver);
  }

  /** Description of the shards that are not ready for a stage; undefined if all are. */
  missingFor(stage: Stage): string | undefined {
    return this.#named(this.#missing((index) => this.#ready[stage].has(index)));
  }

  /** Description of the shards that have not finished; undefined if all have. */
  get unfinished(): string | undefined {
    return this.#named(this.#missing((index) => this.#members.get(index)?.isOver === true));
  }

  #missing(isFine: (index: number) => boolean): number[] {
    const { count } = this.#self.shard;
    return Array.from({ length: count }, (_, index) => index).filter((index) => !isFine(index));
  }

  #named(indices: readonly number[]): string | undefined {
    const { count } = this.#self.shard;
    if (indices.length === 0) return undefined;
    if (indices.length > MAX_NAMED) return `${indices.length} of ${count} shards`;
    const names = indices.map((index) => {
      const host = this.#members.get(index)?.host;
      return host === undefined ? `${index}` : `${index} (${host})`;
    });
    return `${indices.length === 1 ? "shard" : "shards"} ${names.join(", ")} of ${count}`;
  }
}
