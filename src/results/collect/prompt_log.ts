import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import { type PayloadSource, PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import {
  type CachedRequest,
  type CacheSize,
  hitsByRequest,
  type PrefixIdeal,
  type RequestHits,
  summedHits,
} from "../../measurement/prefix/ideal_hits.ts";
import { type PlacedPrompt, PromptBlocks } from "../../measurement/prefix/prompt_blocks.ts";
import { countEnds, PromptCoder, type TextCount } from "../../measurement/prefix/prompt_code.ts";
import { type CountedPrompt, partCount } from "../../measurement/prefix/prompt_tokens.ts";
import type { StoredHits } from "../../measurement/prefix/prefix_file.ts";
import { PromptTrie, ROOT } from "../../measurement/prefix/prompt_trie.ts";
import { PromptCodes } from "./prompt_codes.ts";
import { type PromptRequest, PromptRequests } from "./prompt_requests.ts";

/** Requests, and characters of the codes of prompts, up to which caches are simulated. */
const MAX_REQUESTS = 2_000_000;
const MAX_CHARACTERS = 128_000_000;
const MAX_BLOCKS = 20_000_000;
/** Requests up to which hits of each are kept. */
const MAX_STORED = 200_000;
/** Prompts that are kept to compare counters of tokens. */
const MAX_COUNTED = 1000;
/** Failures of requests whose prompt a server may have computed. */
const COMPUTED = new Set(
  ["cancelled", "cancelled_on_purpose", "cut_off"].map((kind) =>
    ERROR_KINDS.indexOf(kind as typeof ERROR_KINDS[number])
  ),
);

/** A place of the trie where no reply is. */
const NO_NODE = -1;

/**
 * Keeps what prefix caches depend on of each request. Prompts that are sent while their file is read
 * are encoded with their record, others at the end.
 */
export class PromptLog {
  readonly #requests = new PromptRequests();
  readonly #codes: PromptCodes;
  readonly #isPaged: boolean;
  #trie = new PromptTrie();
  /** Place of the prompt of each request, and of the reply to it. */
  readonly #nodes: number[] = [];
  readonly #replyNodes: number[] = [];
  readonly #counted = new Map<number, CountedPrompt>();
  #characters = 0;
  /** Why hits are not known; undefined if they are. */
  #none: string | undefined;
  #hasCached = false;
  readonly #stored: StoredHits[] = [];

  /** @param count of tokens that may be those of the server; undefined if none is known */
  constructor(type: EndpointType, payloads: PayloadSource, count: TextCount | undefined) {
    this.#codes = new PromptCodes(type, payloads, new PromptCoder(count));
    this.#isPaged = !(payloads instanceof PayloadTable);
  }

  /** Whether a reply reported cached tokens, be they none. */
  get hasCached(): boolean {
    return this.#hasCached;
  }

  /** Hits of each request that {@linkcode PromptLog.ideal} found; none of very long runs. */
  get stored(): readonly StoredHits[] {
    return this.#stored;
  }

  add(record: RequestRecord): void {
    const { cachedTokens, endNs, entry, firstChunkNs, index, phase, session, startNs } = record;
    const { promptTokens, turn, turns } = record;
    const tokens = Number.isNaN(promptTokens) ? record.inputTokens : promptTokens;
    const isComputed = record.errorKind < 0 || COMPUTED.has(record.errorKind) ||
      !Number.isNaN(firstChunkNs);
    if (this.#none !== undefined || !isComputed || Number.isNaN(startNs) || !(tokens > 0)) return;
    if (this.#requests.length === MAX_REQUESTS) {
      this.#giveUp(`the run has more than ${MAX_REQUESTS.toLocaleString("en-US")} requests`);
      return;
    }
    this.#hasCached ||= !Number.isNaN(cachedTokens);
    const request = {
      ...{ phase, index, session, entry, startNs, tokens, cachedTokens, turn: turn || 0 },
      ...{ model: record.model || 0, replyTokens: repeatedTokens(record) },
      worker: record.serverWorker,
      dueNs: Number.isNaN(record.intendedNs) ? startNs : record.intendedNs,
      endNs: Number.isNaN(endNs) ? Infinity : endNs,
      // The first token comes when the whole prompt has been computed.
      readyNs: !Number.isNaN(firstChunkNs) ? firstChunkNs : Number.isNaN(endNs) ? Infinity : endNs,
    };
    this.#requests.add(request);
    if (!this.#isPaged) return;
    this.#place(request);
    if (turn + 1 >= turns || record.errorKind >= 0) this.#codes.end(request);
  }

  /** Finds the hits that caches of a size could have had with these requests. */
  ideal(size: CacheSize): PrefixIdeal {
    if (!this.#isPaged) {
      for (const request of this.#requests.read()) {
        if (this.#none !== undefined) break;
        this.#place(request);
      }
    }
    if (this.#none !== undefined) return { none: this.#none };
    if (this.#requests.length === 0) return { none: "no request was served" };
    const { blockSize = 1, capacityTokens } = size;
    const counter = partCount([...this.#counted.values()]);
    const placed = (): Iterable<PlacedPrompt> => this.#placed(counter.endTokens);
    const blocks = new PromptBlocks(this.#trie, placed, counter, blockSize);
    if (blocks.length > MAX_BLOCKS) return { none: "the prompts of the run have too many blocks" };
    const capacity = capacityTokens === undefined
      ? undefined
      : Math.floor(capacityTokens / blockSize);
    const order = this.#requests.inOrder;
    const found = (withReplies: boolean) => {
      const all = hitsByRequest(this.#cached(order, withReplies), blocks, blockSize, capacity);
      if (this.#requests.length > MAX_STORED) return summedHits(all);
      const hits: RequestHits[] = [...all];
      this.#stored.push({ hits, withReplies });
      return summedHits(hits);
    };
    const hasReplies = this.#replyNodes.some((node) => node !== NO_NODE);
    return { ...size, ...found(false), ...(hasReplies ? { withReplies: found(true) } : {}) };
  }

  /** Finds the place of a request's prompt. */
  #place(request: PromptRequest): void {
    const code = this.#codes.of(request);
    if (code === undefined) {
      this.#giveUp("prompts of this API are not texts");
      return;
    }
    const before = this.#trie.length;
    const { tokens } = request;
    const node = this.#trie.add(code);
    const whole = this.#codes.withReply(request, code);
    const reply = whole === undefined || request.replyTokens === 0
      ? NO_NODE
      : this.#trie.add(whole);
    if (this.#trie.length > before) {
      this.#characters += code.length + (reply === NO_NODE ? 0 : code.length);
    }
    if (this.#characters > MAX_CHARACTERS) {
      this.#giveUp("the prompts of the run are too long");
      return;
    }
    this.#nodes.push(node);
    this.#replyNodes.push(reply);
    if (this.#counted.size < MAX_COUNTED || this.#counted.has(node)) {
      this.#counted.set(node, { code, parts: countEnds(code) + 1, tokens });
    }
  }

  #giveUp(reason: string): void {
    this.#none = reason;
    this.#requests.clear();
    this.#trie = new PromptTrie();
    this.#counted.clear();
    for (const nodes of [this.#nodes, this.#replyNodes]) nodes.length = 0;
  }

  /** The places of all prompts and replies. */
  *#placed(endTokens: number): Generator<PlacedPrompt> {
    const [tokens, replies] = [
      this.#requests.column("tokens"),
      this.#requests.column("replyTokens"),
    ];
    for (const [at, node] of this.#nodes.entries()) {
      yield { node, tokens: tokens[at] as number };
      const reply = this.#replyNodes[at] as number;
      if (reply === NO_NODE) continue;
      // Nothing of a template follows a reply that was not ended.
      yield { node: reply, tokens: (tokens[at] as number) + (replies[at] as number) + endTokens };
    }
  }

  *#cached(order: Uint32Array, withReplies: boolean): Generator<CachedRequest> {
    let at = 0;
    for (const request of this.#requests.read(order)) {
      const number = order[at++] as number;
      const { cachedTokens, endNs, phase, readyNs, replyTokens, startNs, tokens, worker } = request;
      const reply = withReplies ? this.#replyNodes[number] as number : NO_NODE;
      yield {
        ...{ node: this.#nodes[number] ?? ROOT, tokens, startNs, readyNs, cachedTokens, worker },
        isBefore: phase === 0,
        // The last token of a reply has not been computed when it is sent.
        ...(reply === NO_NODE
          ? {}
          : { reply: { node: reply, tokens: tokens + replyTokens - 1, readyNs: endNs } }),
      };
    }
  }
}

/** Tokens of a reply that the next turn of its session repeats; 0 if there is none. */
function repeatedTokens(record: RequestRecord): number {
  const { completionTokens, errorKind, outputTokens, reasoningTokens, thoughtTokens } = record;
  const { turn, turns } = record;
  // Templates leave reasoning out of later prompts, so that what follows it is at another place.
  const isWhole = errorKind < 0 && turn + 1 < turns && !(thoughtTokens > 0) &&
    !(reasoningTokens > 0);
  return isWhole ? completionTokens || outputTokens || 0 : 0;
}
