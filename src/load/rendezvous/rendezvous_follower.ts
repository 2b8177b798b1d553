import { pause, type Timers } from "../../core/thread/timers.ts";
import {
  type ByteConnection,
  Channel,
  connectionKey,
  MAX_FRAME_BYTES,
  MAX_STRANGER_BYTES,
  newNonce,
} from "./channel.ts";
import { clockOffset, type Probe, PROBES } from "./clock_probes.ts";
import { jsonOf } from "./json_of.ts";
import { goesOnAlone, withinTimeout } from "./barrier_texts.ts";
import {
  type Agreement,
  type ClockOffset,
  type CommonStart,
  RendezvousError,
  type ShardIntroduction,
  type Stage,
} from "./messages.ts";
import { FROM_HOST, type FromFollower, type FromHost, HELLO } from "./shard_messages.ts";
import { shardFileNames } from "./shard_files.ts";

/** Bytes of a file that are sent at a time. */
const PIECE_BYTES = 512 * 1024;
/** Pause before an unreachable host is retried, in milliseconds. */
const RETRY_MS = 250;
/** Number of connections closed without a message after which the follower warns. */
const TURNED_AWAY = 3;
/**
 * Time by which the follower waits longer than shard 0, in milliseconds, to receive the reason why
 * nothing begins.
 */
const PATIENCE_MS = 10_000;
/** Time in which shard 0 has to answer to a shard that comes. */
const HOST_MS = 10_000;

/** Functions and settings that a follower needs from its thread. */
export interface FollowerContext {
  /** Milliseconds since 1970, by this machine's clock. */
  nowMs(): number;
  readonly timers: Timers;
  connect(): Promise<ByteConnection>;
  onWarning(text: string): void;
}

/** Reason for which a connection is closed without a message. */
class TokenError extends Error {
  override readonly name = "TokenError";
}

/** Pending wait for the agreement on a stage. */
interface Waiting {
  readonly stage: Stage;
  resolve(agreement: Agreement): void;
  reject(error: RendezvousError): void;
}

/** A shard that comes to shard 0. Until the first start it comes again if the connection breaks. */
export class RendezvousFollower implements CommonStart {
  readonly #token: string;
  readonly #self: ShardIntroduction;
  readonly #place: string;
  readonly #timeoutMs: number;
  readonly #context: FollowerContext;
  readonly #instance = newNonce();
  readonly #probes: Probe[] = [];
  #clock: ClockOffset | undefined;
  #channel: Channel | undefined;
  /** Wait of the thread; undefined for none. */
  #waiting: Waiting | undefined;
  #hasBegun = false;
  #turnedAway = 0;
  #isClosed = false;
  /** Reason why no stage will begin; undefined for none. */
  #failure: string | undefined;
  readonly #collection = Promise.withResolvers<void>();
  readonly #arrival = Promise.withResolvers<void>();
  /** Why shard 0 could not be reached the last time. */
  #lastProblem = "it does not answer";

  /** @param place of shard 0, as people write it */
  constructor(
    settings: {
      readonly self: ShardIntroduction;
      readonly token: string;
      readonly timeoutMs: number;
      readonly place: string;
    },
    context: FollowerContext,
  ) {
    this.#self = settings.self;
    this.#token = settings.token;
    this.#timeoutMs = settings.timeoutMs;
    this.#place = settings.place;
    this.#context = context;
    this.#come();
  }

  /** Resolves when shard 0 has let this shard in for the first time. */
  get hasCome(): Promise<void> {
    return this.#arrival.promise;
  }

  /** Ends the connection, as a network may do. */
  breakOff(): void {
    this.#channel?.close();
  }

  meet(stage: Stage): Promise<Agreement> {
    if (stage === 1 && this.#channel === undefined) return Promise.resolve(this.#alone());
    return new Promise((resolve, reject) => {
      const { timers } = this.#context;
      const giveUp = (): void => {
        const reason = `Shard 0 at ${this.#place} did not begin ` +
          `${withinTimeout(this.#timeoutMs)}: ${this.#lastProblem}`;
        if (stage === 0) this.#end(reason);
        else this.#waiting?.resolve(this.#alone());
      };
      let callOff = timers.once(this.#timeoutMs, () => {
        if (this.#channel === undefined) return giveUp();
        // Shard 0 may have begun to wait later, and says why nothing begins.
        this.#lastProblem = "it is connected, but gives no reason";
        callOff = timers.once(this.#timeoutMs + PATIENCE_MS, giveUp);
      });
      this.#waiting = {
        stage,
        resolve: (agreement) => {
          callOff();
          this.#waiting = undefined;
          resolve(agreement);
        },
        reject: (error) => {
          callOff();
          this.#waiting = undefined;
          reject(error);
        },
      };
      if (this.#failure !== undefined) this.#waiting.reject(new RendezvousError(this.#failure));
      else this.#send({ "ask": stage });
    });
  }

  async over(): Promise<undefined> {
    await this.#channel?.send({ "over": true } satisfies FromFollower).catch(() => {});
  }

  async collect(folder: string): Promise<string | undefined> {
    const channel = this.#channel;
    if (channel === undefined) return `Shard 0 is gone: the files of this shard are in ${folder}`;
    try {
      for (const name of await shardFileNames(folder)) {
        using file = await Deno.open(`${folder}/${name}`);
        await channel.send({ "file": name, "bytes": (await file.stat()).size });
        const buffer = new Uint8Array(PIECE_BYTES);
        for (let read = await file.read(buffer); read !== null; read = await file.read(buffer)) {
          await channel.send(buffer.subarray(0, read));
        }
      }
      await channel.send({ "sent": true });
      const isCollected = await Promise.race([
        this.#collection.promise.then(() => true),
        pause(this.#context.timers, this.#timeoutMs).then(() => false),
      ]);
      return isCollected ? undefined : "Shard 0 does not say that it has the files of this shard";
    } catch (error) {
      return `The files of this shard were not sent, they are in ${folder}: ` +
        (error as Error).message;
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#channel?.close();
    return Promise.resolve();
  }

  /**
   * Continues without other shards after their loss: a run that began together ends on this machine
   * only.
   */
  #alone(): Agreement {
    return {
      atMs: this.#context.nowMs(),
      clock: this.#clock,
      warning: goesOnAlone(`Shard 0 at ${this.#place} is gone`),
    };
  }

  async #come(): Promise<void> {
    while (!this.#isClosed && this.#failure === undefined && !this.#hasBegun) {
      try {
        await this.#visit();
        if (this.#hasBegun) break;
        this.#lastProblem = "it has broken off the connection";
      } catch (error) {
        this.#lastProblem = (error as Error).message;
        this.#tellOf(error);
      }
      await pause(this.#context.timers, RETRY_MS);
    }
    this.#waiting?.resolve(this.#alone());
  }

  /** Reports at once an error that waiting may not fix. */
  #tellOf(error: unknown): void {
    if (!(error instanceof TokenError) || this.#isClosed) return;
    // Once may also mean that too many came at a time.
    if (++this.#turnedAway !== TURNED_AWAY) return;
    this.#context.onWarning(
      `Shard 0 at ${this.#place} rejects this shard: ${error.message}; retrying ` +
        withinTimeout(this.#timeoutMs),
    );
  }

  /** Comes to shard 0 and stays until the connection ends. */
  async #visit(): Promise<void> {
    const connection = await this.#context.connect();
    const channel = new Channel(connection, "follower", this.#context.nowMs);
    const callOff = this.#context.timers.once(HOST_MS, () => channel.close());
    try {
      await this.#introduce(channel);
      callOff();
      if (this.#isClosed || this.#failure !== undefined) return;
      this.#channel = channel;
      this.#arrival.resolve();
      if (this.#waiting !== undefined) this.#send({ "ask": this.#waiting.stage });
      for (;;) {
        const received = await channel.receive(MAX_FRAME_BYTES);
        if (received === undefined) return;
        const message = FROM_HOST.parse(JSON.parse(received.text ?? ""));
        this.#take(message, received.atMs);
      }
    } finally {
      callOff();
      channel.close();
      if (this.#channel === channel) this.#channel = undefined;
    }
  }

  async #introduce(channel: Channel): Promise<void> {
    const hello = await channel.receive(MAX_STRANGER_BYTES);
    const { data } = HELLO.safeParse(jsonOf(hello?.text));
    if (data === undefined) throw new Error("what answers there is not shard 0");
    const nonce = newNonce();
    const { shard: { index, count }, host, planHash: plan, version } = this.#self;
    channel.prove(connectionKey(this.#token, data.nonce, nonce));
    await channel.send({
      ...{ nonce, index, count, host, plan, version },
      "instance": this.#instance,
    });
    const answer = await channel.receive(MAX_STRANGER_BYTES).catch(() => undefined);
    const { data: message } = FROM_HOST.safeParse(jsonOf(answer?.text));
    if (message === undefined) {
      throw new TokenError("it has another token, or is not shard 0 of this run");
    }
    if ("refused" in message) {
      this.#end(`Shard 0 at ${this.#place} refuses shard ${index}: ${message.refused}`);
    }
  }

  #take(message: FromHost, atMs: number): void {
    if ("turn" in message) {
      this.#probes.length = 0;
      this.#probe();
    } else if ("echo" in message) {
      this.#probes.push({
        sentMs: message.echo,
        hostReceivedMs: message.receivedMs,
        hostSentMs: message.sentMs,
        receivedMs: atMs,
      });
      if (this.#probes.length < PROBES) return this.#probe();
      this.#clock = clockOffset(this.#probes);
      if (this.#waiting !== undefined) this.#send({ "ready": this.#waiting.stage });
    } else if ("start" in message) {
      if (this.#waiting?.stage !== message.start) return;
      this.#hasBegun = true;
      this.#waiting.resolve({
        atMs: message.atMs + (this.#clock?.offsetMs ?? 0),
        clock: this.#clock,
        // Shard 0 says what there is to say.
        warning: undefined,
      });
    } else if ("collected" in message) this.#collection.resolve();
    else if ("failed" in message) this.#end(message.failed);
    else if ("refused" in message) this.#end(message.refused);
  }

  #probe(): void {
    this.#send({ "probe": this.#context.nowMs() });
  }

  #send(message: FromFollower): void {
    this.#channel?.send(message).catch(() => {});
  }

  #end(reason: string): void {
    this.#failure = reason;
    this.#waiting?.reject(new RendezvousError(reason));
    this.#channel?.close();
  }
}
