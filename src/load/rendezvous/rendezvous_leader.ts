import { pause, type Timers } from "../../core/thread/timers.ts";
import { shardFolderName } from "../../config/shard/shard.ts";
import {
  Channel,
  connectionKey,
  MAX_FRAME_BYTES,
  MAX_STRANGER_BYTES,
  newNonce,
} from "./channel.ts";
import { FileReceiver } from "./file_receiver.ts";
import { jsonOf } from "./json_of.ts";
import { Barrier } from "./barrier.ts";
import { goesOnWithout, notOver, refusalTold, withinTimeout } from "./barrier_texts.ts";
import {
  type Agreement,
  type CommonStart,
  RendezvousError,
  type ShardIntroduction,
  type Stage,
} from "./messages.ts";
import { FROM_GUEST, type FromHost, JOIN } from "./shard_messages.ts";
import { TurnQueue } from "./turn_queue.ts";

/**
 * Time from the agreement to the start, in milliseconds: for notifying all shards, and for opening
 * connections.
 */
const LEAD_MS = 1000;
/** Time in which a peer must authenticate as a shard, in milliseconds. */
const STRANGER_MS = 5000;
/**
 * Unauthenticated connections in addition to one per shard, because all shards may connect at once.
 * A larger number would let another program use up the descriptors that the load needs.
 */
const MAX_STRANGERS = 32;
/** Shards that compare clocks at a time: more would measure each other's traffic. */
const PROBING = 4;
/** Maximum duration of one probing turn, in milliseconds, in case a peer is stopped mid-turn. */
const PROBING_MS = 2000;
/** Time for notifying the other shards why nothing begins, in milliseconds. */
const FAREWELL_MS = 1000;
/** Maximum number of reported refusals: a peer may retry any number of times. */
const MAX_REFUSALS = 20;

/** Functions and settings that a leader needs from its thread. */
export interface HostContext {
  /** Milliseconds since 1970, by this machine's clock. */
  nowMs(): number;
  readonly timers: Timers;
  onWarning(text: string): void;
}

/** A shard's connection. */
interface Follower {
  readonly index: number;
  readonly channel: Channel;
}

/**
 * Shard 0: accepts the other shards, compares their clocks with its own, and sends them the start
 * time.
 */
export class RendezvousLeader implements CommonStart {
  readonly #listener: Deno.Listener;
  readonly #token: string;
  readonly #timeoutMs: number;
  readonly #context: HostContext;
  readonly #barrier: Barrier;
  readonly #self: ShardIntroduction;
  readonly #strangers = new Set<Channel>();
  readonly #hosts = new WeakMap<Channel, string>();
  readonly #followers = new Map<number, Follower>();
  readonly #turns: TurnQueue<Channel>;
  readonly #starts = new Map<Stage, { readonly atMs: number; readonly warning: string | null }>();
  /** Called after each change; a waiting function then checks its condition. */
  readonly #watchers = new Set<() => void>();
  /** Shards whose files are all there. */
  readonly #collected = new Set<number>();
  readonly #collectsInto: string | undefined;
  #refusals = 0;
  #hasToldOfToken = false;
  #failure: string | undefined;

  constructor(
    listener: Deno.Listener,
    settings: {
      readonly self: ShardIntroduction;
      readonly token: string;
      readonly timeoutMs: number;
      readonly collectsInto?: string | undefined;
    },
    context: HostContext,
  ) {
    this.#listener = listener;
    this.#self = settings.self;
    this.#token = settings.token;
    this.#timeoutMs = settings.timeoutMs;
    this.#context = context;
    this.#collectsInto = settings.collectsInto;
    this.#barrier = new Barrier(settings.self);
    this.#turns = new TurnQueue(PROBING, PROBING_MS, context.timers);
    this.#accept();
  }

  async meet(stage: Stage): Promise<Agreement> {
    this.#barrier.ready(0, stage);
    const isComplete = await this.#until(() => this.#barrier.canBegin(stage));
    const missing = this.#barrier.missingFor(stage);
    if (!isComplete && stage === 0) {
      throw await this.#fail(
        `${missing} did not come ${withinTimeout(this.#timeoutMs)}`,
      );
    }
    const warning = goesOnWithout(missing) ?? null;
    const atMs = this.#context.nowMs() + LEAD_MS;
    this.#barrier.begin(stage);
    this.#starts.set(stage, { atMs, warning });
    for (const { channel } of this.#followers.values()) {
      this.#tell(channel, { "start": stage, atMs, warning });
    }
    return { atMs, clock: { offsetMs: 0, errorMs: 0 }, warning: warning ?? undefined };
  }

  async over(): Promise<string | undefined> {
    this.#barrier.over(0);
    await this.#until(() => this.#barrier.isOver);
    return notOver(this.#barrier.unfinished);
  }

  async collect(): Promise<string | undefined> {
    await this.#until(() => this.#followers.size === 0 || this.#allCollected);
    const { count } = this.#self.shard;
    const missing = Array.from({ length: count - 1 }, (_, i) => i + 1)
      .filter((index) => !this.#collected.has(index));
    return missing.length === 0
      ? undefined
      : `The files of ${missing.length} of ${count} shards did not come: ${missing.join(", ")}`;
  }

  get #allCollected(): boolean {
    return [...this.#followers.keys()].every((index) => this.#collected.has(index));
  }

  close(): Promise<void> {
    try {
      this.#listener.close();
    } catch {
      // It was the reason.
    }
    for (const channel of this.#strangers) channel.close();
    for (const { channel } of this.#followers.values()) channel.close();
    return Promise.resolve();
  }

  async #fail(reason: string): Promise<RendezvousError> {
    this.#failure = reason;
    const told = [...this.#followers.values()].map(({ channel }) =>
      channel.send({ "failed": reason } satisfies FromHost).catch(() => {})
    );
    await Promise.race([
      Promise.all(told),
      pause(this.#context.timers, FAREWELL_MS),
    ]);
    return new RendezvousError(reason);
  }

  /** Waits until it is so; false if that takes too long. */
  #until(isSo: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        this.#watchers.delete(look);
        resolve(isSo());
      };
      const look = (): void => {
        if (isSo()) end();
      };
      const callOff = this.#context.timers.once(this.#timeoutMs, end);
      this.#watchers.add(look);
      look();
    });
  }

  #onChange(): void {
    for (const look of [...this.#watchers]) look();
  }

  async #accept(): Promise<void> {
    for (;;) {
      let connection: Deno.Conn;
      try {
        connection = await this.#listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) {
          return;
        }
        // Too many open files, or a connection that was gone before it was taken.
        await pause(this.#context.timers, 10);
        continue;
      }
      this.#receive(connection);
    }
  }

  async #receive(connection: Deno.Conn): Promise<void> {
    const { nowMs, timers } = this.#context;
    const channel = new Channel(connection, "leader", nowMs);
    this.#strangers.add(channel);
    this.#hosts.set(channel, hostOf(connection.remoteAddr));
    if (this.#strangers.size > MAX_STRANGERS + this.#self.shard.count) this.#dropStranger();
    const callOff = timers.once(STRANGER_MS, () => this.#drop(channel));
    try {
      if ("setNoDelay" in connection) (connection as Deno.TcpConn).setNoDelay();
      const follower = await this.#introduction(channel, connection.remoteAddr);
      callOff();
      this.#strangers.delete(channel);
      if (follower === undefined) return channel.close();
      if ("setKeepAlive" in connection) (connection as Deno.TcpConn).setKeepAlive();
      await this.#serve(follower);
    } catch {
      // Whoever breaks off, or speaks nonsense, is nobody any more.
    } finally {
      callOff();
      this.#drop(channel);
      this.#lose(channel);
    }
  }

  /** Drops the oldest connection of the host that has most, so that a flood drops its own ones. */
  #dropStranger(): void {
    const byHost = Map.groupBy(this.#strangers, (channel) => this.#hosts.get(channel));
    let most: readonly Channel[] = [];
    for (const channels of byHost.values()) if (channels.length > most.length) most = channels;
    const [oldest] = most;
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(channel: Channel): void {
    this.#strangers.delete(channel);
    channel.close();
  }

  /** Authenticates a peer and adds it as a shard; undefined if it is refused. */
  async #introduction(channel: Channel, from: Deno.Addr): Promise<Follower | undefined> {
    const nonce = newNonce();
    await channel.send({ "hello": "inferometer", nonce });
    const first = await channel.receiveUnproved(MAX_STRANGER_BYTES);
    const { data: join } = JOIN.safeParse(jsonOf(first?.text));
    if (first === undefined || join === undefined) return undefined;
    channel.prove(connectionKey(this.#token, nonce, join.nonce));
    // The message brought what its own proof needs.
    if (!first.isProved()) {
      this.#tellOfToken(join.index, from);
      return undefined;
    }
    const { index, count, host, plan: planHash, version, instance } = join;
    const follower = { shard: { index, count }, host, planHash, version };
    const before = this.#followers.get(index);
    const refusal = this.#failure ?? this.#barrier.join(follower, instance);
    if (refusal !== undefined) {
      await channel.send({ "refused": refusal } satisfies FromHost);
      if (this.#refusals++ < MAX_REFUSALS) {
        this.#context.onWarning(refusalTold(index, host, refusal));
      }
      return undefined;
    }
    // The same shard has come again: its old connection is dead.
    before?.channel.close();
    const accepted = { index, channel };
    this.#followers.set(index, accepted);
    await channel.send({ "welcome": true } satisfies FromHost);
    return accepted;
  }

  /** Reports a wrong token once: the peer's data is not authenticated, and it may reconnect often. */
  #tellOfToken(index: number, from: Deno.Addr): void {
    if (this.#hasToldOfToken) return;
    this.#hasToldOfToken = true;
    const where = "hostname" in from ? ` from ${from.hostname}` : "";
    this.#context.onWarning(
      `Rejected a connection${where} as shard ${index}: it has a different token`,
    );
  }

  async #serve({ index, channel }: Follower): Promise<void> {
    const { nowMs } = this.#context;
    const { shard: { count } } = this.#self;
    const name = shardFolderName({ index, count });
    const into = this.#collectsInto;
    using files = into === undefined ? undefined : new FileReceiver(`${into}/${name}`);
    for (;;) {
      const received = await channel.receive(MAX_FRAME_BYTES);
      if (received === undefined) return;
      if (received.text === undefined) {
        await files?.add(received.bytes);
        continue;
      }
      const message = FROM_GUEST.parse(jsonOf(received.text));
      if ("probe" in message) {
        const { probe: echo } = message;
        channel.send({ echo, receivedMs: received.atMs, sentMs: nowMs() }).catch(() => {});
      } else if ("ask" in message) {
        const stage = message.ask;
        this.#turns.enter(channel, () => this.#tell(channel, { "turn": stage }));
      } else if ("ready" in message) {
        this.#turns.leave(channel);
        this.#barrier.ready(index, message.ready);
        const start = this.#starts.get(message.ready);
        // Who comes when the others have begun is told when that was.
        if (start !== undefined) this.#tell(channel, { "start": message.ready, ...start });
        this.#onChange();
      } else if ("file" in message) await files?.begin(message.file, message.bytes);
      else if ("sent" in message) {
        files?.close();
        this.#collected.add(index);
        this.#tell(channel, { "collected": true });
        this.#onChange();
      } else {
        this.#barrier.over(index);
        this.#onChange();
      }
    }
  }

  #lose(channel: Channel): void {
    this.#turns.leave(channel);
    for (const [index, follower] of this.#followers) {
      if (follower.channel !== channel) continue;
      this.#followers.delete(index);
      this.#barrier.leave(index);
    }
    this.#onChange();
  }

  #tell(channel: Channel, message: FromHost): void {
    channel.send(message).catch(() => {});
  }
}

function hostOf(address: Deno.Addr): string {
  return "hostname" in address ? address.hostname : "";
}
