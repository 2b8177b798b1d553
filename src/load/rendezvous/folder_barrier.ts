import { pause, type Timers } from "../../core/thread/timers.ts";
import { jsonOf } from "./json_of.ts";
import { Barrier } from "./barrier.ts";
import {
  goesOnAlone,
  goesOnWithout,
  notOver,
  refusalTold,
  withinTimeout,
} from "./barrier_texts.ts";
import {
  type Agreement,
  type CommonStart,
  RendezvousError,
  type ShardIntroduction,
  type Stage,
} from "./messages.ts";

/** From the agreement to the start: file systems of several machines show a file only later. */
const LEAD_MS = 3000;
const LOOK_MS = 100;
/** Interval at which a working shard refreshes its file, in milliseconds. */
const BEAT_MS = 2000;
/** A shard whose file has not changed for so long is gone; one that is paused comes back. */
const SILENT_MS = 30_000;
const MAX_FILE_BYTES = 4096;

/** Content of a shard's file. */
interface Sign {
  readonly index: number;
  readonly count: number;
  readonly host: string;
  readonly plan: string;
  readonly version: string;
  /** Changes with every look: a file of an earlier run does not. */
  readonly beat: number;
  readonly instance: string;
  readonly stage: Stage | "over";
}

/** Content of shard 0's file. */
interface Start {
  readonly stage: Stage;
  readonly atMs: number;
  readonly plan: string;
}

/** Last known state of another shard's file. */
interface Seen {
  readonly index: number;
  readonly beat: number;
  readonly atMs: number;
  readonly hasChanged: boolean;
}

/** Functions and settings that a barrier needs from its thread. */
export interface BarrierContext {
  nowMs(): number;
  readonly timers: Timers;
  onWarning(text: string): void;
}

/**
 * Common start through a folder that all shards can access. Each shard writes its progress to a
 * file; shard 0 reads the files and writes when to begin. Files are written by renaming, so that no
 * reader gets a partial file. Clocks are not compared: the machines' clocks are assumed to
 * be synchronized.
 */
export class FolderBarrier implements CommonStart {
  readonly #directory: string;
  readonly #self: ShardIntroduction;
  readonly #timeoutMs: number;
  readonly #context: BarrierContext;
  readonly #barrier: Barrier;
  readonly #instance = crypto.randomUUID();
  /** Other shards by their instances: several may claim to be the same shard. */
  readonly #seen = new Map<string, Seen>();
  readonly #told = new Set<string>();
  /** The last file that is being written: one after another, as they have their names in common. */
  #writes: Promise<void> = Promise.resolve();
  #beat = 0;
  #stage: Sign["stage"] = 0;
  #isClosed = false;
  #endBeats: () => void = () => {};

  constructor(
    settings: {
      readonly self: ShardIntroduction;
      readonly directory: string;
      readonly timeoutMs: number;
    },
    context: BarrierContext,
  ) {
    this.#self = settings.self;
    this.#directory = settings.directory;
    this.#timeoutMs = settings.timeoutMs;
    this.#context = context;
    this.#barrier = new Barrier(settings.self);
  }

  /**
   * Checks whether the folder can be used.
   * @throws {RendezvousError} if an earlier run has begun in it, or it cannot be written
   */
  async begin(): Promise<void> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true });
      if (await this.#start(0) !== undefined) {
        throw new RendezvousError(
          `--barrier: a run has begun in ${this.#directory} already: name another folder`,
        );
      }
      await this.#sign();
      const { timers } = this.#context;
      this.#endBeats = timers.every(BEAT_MS, () => void this.#sign().catch(() => {}));
    } catch (error) {
      if (error instanceof RendezvousError) throw error;
      throw new RendezvousError(`--barrier ${this.#directory}: ${(error as Error).message}`);
    }
  }

  async meet(stage: Stage): Promise<Agreement> {
    this.#stage = stage;
    const isFirst = this.#self.shard.index === 0;
    this.#barrier.ready(0, stage);
    const deadlineMs = performance.now() + this.#timeoutMs + (isFirst ? 0 : LEAD_MS);
    while (!this.#isClosed) {
      await this.#sign();
      if (isFirst) await this.#look();
      const isLate = performance.now() >= deadlineMs;
      if (isFirst && (this.#barrier.canBegin(stage) || (isLate && stage === 1))) {
        return await this.#begin(stage);
      }
      const start = isFirst ? undefined : await this.#start(stage);
      if (!isFirst) await this.#checkRefusal();
      if (start !== undefined) return { atMs: start.atMs, clock: undefined, warning: undefined };
      if (isLate) return this.#giveUp(stage, isFirst);
      await pause(this.#context.timers, LOOK_MS);
    }
    throw new RendezvousError("The run was ended before it began");
  }

  async over(): Promise<string | undefined> {
    this.#stage = "over";
    this.#barrier.over(0);
    await this.#sign().catch(() => {});
    if (this.#self.shard.index !== 0) return undefined;
    const deadlineMs = performance.now() + this.#timeoutMs;
    while (!this.#isClosed && !this.#barrier.isOver && performance.now() < deadlineMs) {
      await pause(this.#context.timers, LOOK_MS);
      await this.#look();
    }
    return notOver(this.#barrier.unfinished);
  }

  /**
   * Returns undefined: a process that can access this folder can also read the folders of the
   * shards.
   */
  collect(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#endBeats();
    return Promise.resolve();
  }

  #giveUp(stage: Stage, isFirst: boolean): Agreement {
    const within = withinTimeout(this.#timeoutMs);
    if (stage === 1) {
      return {
        atMs: this.#context.nowMs(),
        clock: undefined,
        warning: goesOnAlone(`Shard 0 gave no start ${within}`),
      };
    }
    throw new RendezvousError(
      isFirst
        ? `${this.#barrier.missingFor(0)} did not come to ${this.#directory} ${within}`
        : `Shard 0 gave no start in ${this.#directory} ${within}`,
    );
  }

  async #begin(stage: Stage): Promise<Agreement> {
    const missing = this.#barrier.missingFor(stage);
    const atMs = this.#context.nowMs() + LEAD_MS;
    const start: Start = { stage, atMs, plan: this.#self.planHash };
    this.#barrier.begin(stage);
    await this.#write(`start-${stage}.json`, start);
    return { atMs, clock: undefined, warning: goesOnWithout(missing) };
  }

  /** Writes the progress of this shard, and that it is alive. */
  async #sign(): Promise<void> {
    const { shard: { index, count }, host, planHash: plan, version } = this.#self;
    const sign: Sign = {
      ...{ index, count, host, plan, version },
      beat: this.#beat++,
      instance: this.#instance,
      stage: this.#stage,
    };
    await this.#write(`shard-${index}-${this.#instance}.json`, sign);
  }

  /** Reads the files of the other shards. */
  async #look(): Promise<void> {
    for await (const { name } of Deno.readDir(this.#directory)) {
      if (!/^shard-\d+-[\da-f-]+\.json$/.test(name)) continue;
      const sign = await this.#read<Sign>(name);
      if (sign === undefined || sign.index === 0) continue;
      await this.#take(sign);
    }
    const nowMs = performance.now();
    for (const { index, atMs } of this.#seen.values()) {
      if (nowMs - atMs > SILENT_MS) this.#barrier.leave(index);
    }
  }

  async #take(sign: Sign): Promise<void> {
    const { index, count, host, plan, version, beat, instance, stage } = sign;
    const seen = this.#seen.get(instance);
    const hasChanged = seen !== undefined && (seen.beat !== beat || seen.hasChanged);
    if (seen?.beat !== beat) {
      this.#seen.set(instance, { index, beat, atMs: performance.now(), hasChanged });
    }
    // A file that never changes was left by an earlier run.
    if (!hasChanged) return;
    const follower = { shard: { index, count }, host, planHash: plan, version };
    const refusal = this.#barrier.join(follower, instance);
    if (refusal !== undefined) {
      const text = refusalTold(index, host, refusal);
      if (this.#told.has(text)) return;
      this.#told.add(text);
      this.#context.onWarning(text);
      await this.#write(`refused-${instance}.json`, { reason: refusal });
    } else if (stage === "over") this.#barrier.over(index);
    else this.#barrier.ready(index, stage);
  }

  async #checkRefusal(): Promise<void> {
    const refusal = await this.#read<{ reason?: unknown }>(`refused-${this.#instance}.json`);
    if (refusal === undefined) return;
    throw new RendezvousError(
      `Shard 0 refuses shard ${this.#self.shard.index} in ${this.#directory}: ${refusal.reason}`,
    );
  }

  async #start(stage: Stage): Promise<Start | undefined> {
    return await this.#read<Start>(`start-${stage}.json`);
  }

  /** Returns the content of a file; undefined if it does not exist or has another shape. */
  async #read<T>(name: string): Promise<T | undefined> {
    try {
      const text = await Deno.readTextFile(`${this.#directory}/${name}`);
      const value = text.length > MAX_FILE_BYTES ? undefined : jsonOf(text);
      return typeof value === "object" && value !== null ? value as T : undefined;
    } catch {
      return undefined;
    }
  }

  #write(name: string, value: object): Promise<void> {
    const path = `${this.#directory}/${name}`;
    const own = `${path}.${this.#self.shard.index}.tmp`;
    const write = this.#writes.then(async () => {
      await Deno.writeTextFile(own, JSON.stringify(value));
      await Deno.rename(own, path);
    });
    // Who writes next is told by its own promise.
    this.#writes = write.catch(() => {});
    return write;
  }
}
