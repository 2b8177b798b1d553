import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import {
  type CachedRequest,
  type CacheSize,
  idealHits,
  type PrefixIdeal,
} from "../../measurement/prefix/ideal_hits.ts";
import { PromptBlocks } from "../../measurement/prefix/prompt_blocks.ts";
import {
  type CountedPrompt,
  PART_END,
  partCount,
  type TextCount,
} from "../../measurement/prefix/prompt_tokens.ts";
import { PromptTrie } from "../../measurement/prefix/prompt_trie.ts";
import { sentBody } from "../../report/export/requests/raw_record_json.ts";

/** Requests and characters of prompts up to which caches are simulated: it takes seconds. */
const MAX_REQUESTS = 200_000;
const MAX_CHARACTERS = 256_000_000;
const MAX_BLOCKS = 20_000_000;
/** Failures of requests whose prompt a server may have computed. */
const COMPUTED = new Set(
  ["cancelled", "cancelled_on_purpose", "cut_off"].map((kind) =>
    ERROR_KINDS.indexOf(kind as typeof ERROR_KINDS[number])
  ),
);
/** Begins a word that is in no prompt: the reply to an earlier turn. */
const REPLY = "\u0003";

type LoggedRequest =
  & Pick<
    RequestRecord,
    "index" | "session" | "turn" | "phase" | "entry" | "startNs" | "firstChunkNs" | "endNs"
  >
  & {
    readonly model: number;
    readonly dueNs: number;
    readonly tokens: number;
    readonly cachedTokens: number;
  };

/** Keeps what prefix caches depend on of each request, up to {@linkcode MAX_REQUESTS}. */
export class PromptLog {
  readonly #type: EndpointType;
  readonly #counters: readonly TextCount[];
  #requests: LoggedRequest[] = [];
  #isFull = false;
  #hasCached = false;

  /** @param counters of tokens that may be those of the server */
  constructor(type: EndpointType, counters: readonly TextCount[]) {
    this.#type = type;
    this.#counters = counters;
  }

  /** Whether a reply reported cached tokens, be they none. */
  get hasCached(): boolean {
    return this.#hasCached;
  }

  add(record: RequestRecord): void {
    const { cachedTokens, endNs, entry, firstChunkNs, index, model, phase } = record;
    const { promptTokens, session, startNs, turn } = record;
    const tokens = Number.isNaN(promptTokens) ? record.inputTokens : promptTokens;
    const isComputed = record.errorKind < 0 || COMPUTED.has(record.errorKind) ||
      !Number.isNaN(firstChunkNs);
    if (this.#isFull || !isComputed || Number.isNaN(startNs) || !(tokens > 0)) return;
    if (this.#requests.length === MAX_REQUESTS) {
      this.#isFull = true;
      this.#requests = [];
      return;
    }
    this.#hasCached ||= !Number.isNaN(cachedTokens);
    const dueNs = Number.isNaN(record.intendedNs) ? startNs : record.intendedNs;
    this.#requests.push({
      ...{ index, session, turn, phase, entry, startNs, firstChunkNs, endNs },
      ...{ model: model || 0, dueNs, tokens, cachedTokens },
    });
  }

  /**
   * Finds the hits that caches of a size could have had with these requests.
   * @param payloads undefined if the bodies are no longer there
   */
  ideal(payloads: PayloadTable | undefined, size: CacheSize): PrefixIdeal {
    if (this.#isFull) return { none: `the run has more than ${MAX_REQUESTS} requests` };
    if (payloads === undefined) return { none: "prompts were sent while their file was read" };
    if (this.#requests.length === 0) return { none: "no request was served" };
    const trie = new PromptTrie();
    const texts = new PromptTexts(this.#type, payloads);
    const distinct = new Map<number, CountedPrompt>();
    const requests: (CachedRequest & { readonly dueNs: number })[] = [];
    for (const request of this.#requests) {
      const text = texts.of(request);
      if (text === undefined) return { none: "prompts of this API are not texts" };
      if (texts.characters > MAX_CHARACTERS) return { none: "the prompts of the run are too long" };
      const { tokens } = request;
      const node = trie.add(text);
      distinct.set(node, { text, parts: text.split(PART_END).length, tokens });
      requests.push({
        ...{ node, tokens, startNs: request.startNs, dueNs: request.dueNs },
        readyNs: readyNs(request),
        cachedTokens: request.cachedTokens,
        isBefore: request.phase === 0,
      });
    }
    requests.sort((a, b) => a.dueNs - b.dueNs || a.startNs - b.startNs);
    const { blockSize = 1, capacityTokens } = size;
    const counter = partCount([...distinct.values()], this.#counters);
    const blocks = new PromptBlocks(trie, requests, counter, blockSize);
    if (blocks.length > MAX_BLOCKS) return { none: "the prompts of the run have too many blocks" };
    const capacity = capacityTokens === undefined
      ? undefined
      : Math.floor(capacityTokens / blockSize);
    return { ...size, ...idealHits(requests, blocks, blockSize, capacity) };
  }
}

/** The first token comes when the whole prompt has been computed. */
function readyNs({ endNs, firstChunkNs }: LoggedRequest): number {
  if (!Number.isNaN(firstChunkNs)) return firstChunkNs;
  return Number.isNaN(endNs) ? Infinity : endNs;
}

/** The texts of prompts as a server gets them, histories included. */
class PromptTexts {
  readonly #type: EndpointType;
  readonly #payloads: PayloadTable;
  /** Texts by entry and model, where a prompt may be sent several times. */
  readonly #known = new Map<number, string | undefined>();
  /** Texts of the last turns of sessions. */
  readonly #histories = new Map<number, string>();
  #phase = NaN;
  characters = 0;

  constructor(type: EndpointType, payloads: PayloadTable) {
    this.#type = type;
    this.#payloads = payloads;
  }

  /** The text of a request; undefined if it has no text. */
  of(request: LoggedRequest): string | undefined {
    const own = this.#own(request);
    const { conversations } = this.#payloads.data;
    if (own === undefined || conversations === undefined) return own;
    const { entry, phase, session, turn } = request;
    if (phase !== this.#phase) this.#histories.clear();
    this.#phase = phase;
    const before = turn > 0 && conversations.followsHistory[entry] === 1
      ? this.#histories.get(session)
      : undefined;
    const text = before === undefined
      ? own
      : before + PART_END + REPLY + [phase, session, turn].join(".") + PART_END + own;
    this.characters += text.length - own.length;
    this.#histories.set(session, text);
    return text;
  }

  #own(request: LoggedRequest): string | undefined {
    const { entry, model } = request;
    const { markers, modelCount, salts } = this.#payloads.data;
    const isShared = markers === undefined && salts === undefined;
    const key = entry * modelCount + model;
    if (isShared && this.#known.has(key)) return this.#known.get(key);
    const fields = this.#type.body.decode(sentBody(this.#payloads, entry, request, model));
    const texts = fields === undefined ? [] : this.#type.inputTexts(fields);
    const text = texts.length === 0 ? undefined : modelMark(model) + texts.join(PART_END);
    this.characters += text?.length ?? 0;
    if (isShared) this.#known.set(key, text);
    return text;
  }
}

/** Models share no cache. */
function modelMark(model: number): string {
  return model === 0 ? "" : String.fromCharCode(0xe000 + model);
}
