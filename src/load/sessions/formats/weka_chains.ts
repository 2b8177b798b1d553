/**
 * Agents of a Weka trace that the file does not name, found by the ids of its blocks with AIPerf's
 * rules: a call continues the chain whose last prompt it begins with, else it begins a new one.
 */

import { type CallDraft, isLess, lastBy, orderOf } from "../model/call_draft.ts";
import { sharedLength } from "../model/shared_length.ts";

/** A call of a Weka trace. */
export interface WekaCall {
  readonly draft: CallDraft;
  /** Place in the file. */
  readonly order: number;
  /** All ids of the call, one beyond its whole blocks included. */
  readonly hashes: readonly (number | string)[];
  /** Output tokens as the file states them: may be 0. */
  readonly rawOut: number;
  /** Kinds of its new input; empty if the file has none. */
  readonly types: readonly string[];
  /** Reason for the end of its reply; empty if the file has none. */
  readonly stop: string;
  /** Seconds that the client took before the request; undefined if the file has none. */
  readonly thinkSeconds: number | undefined;
}

/** Difference below which two times are equal, in milliseconds. */
export const EQUAL_MS = 1e-3;
/** Output tokens of a call that sets a title, at most. */
const TITLE_TOKENS = 64;
/** A longer pause with little in common is another agent. */
const FAR_SECONDS = 3600;
const FAR_SHARE = 0.5;

interface Fork {
  /** Order of the call after which the chain forks; undefined for a chain that shares nothing. */
  tail: number | undefined;
  /** Blocks in common with that call. */
  depth: number;
  readonly timeMs: number;
}

interface Chain {
  calls: WekaCall[];
  fork: Fork | undefined;
  /** Chain that it became a part of. */
  into: number | undefined;
}

/** Returns the calls of each agent, those of the main agent first. */
export function wekaChains(given: readonly WekaCall[]): WekaCall[][] {
  const sorted = [...given].sort(byStart);
  const preamble = preambleOf(sorted);
  const items = sorted.slice(preamble.length);
  const grouping = new ChainGrouping(items);
  return grouping.chains(preamble);
}

/** Calls by their starts, then places. */
function byStart(a: WekaCall, b: WekaCall): number {
  return orderOf([a.draft.startMs, a.order], [b.draft.startMs, b.order]);
}

/** A first call that shares nothing with the others, such as one that sets a title. */
function preambleOf([first, ...rest]: readonly WekaCall[]): WekaCall[] {
  if (first === undefined || rest.length === 0 || first.hashes.length === 0) return [];
  if (rest.some(({ hashes }) => sharedLength(first.hashes, hashes) > 0)) return [];
  const used = new Set(rest.flatMap(({ hashes }) => hashes));
  const isApart = !first.hashes.some((id) => used.has(id));
  return first.rawOut <= TITLE_TOKENS || isApart ? [first] : [];
}

class ChainGrouping {
  readonly #chains: Chain[] = [];
  readonly #chainOf = new Map<number, number>();
  /** Chains by the order of the call after which they fork. */
  readonly #forks = new Map<number, number[]>();
  readonly #first: WekaCall;

  constructor(items: readonly WekaCall[]) {
    this.#first = items[0] as WekaCall;
    for (const item of items) this.#add(item);
    this.#splice();
  }

  chains(preamble: readonly WekaCall[]): WekaCall[][] {
    const main = this.#owner(this.#chainOf.get(this.#first.order) as number);
    const workers = this.#chains
      .filter(({ into }, index) => into === undefined && index !== main)
      .map(({ calls }) => calls)
      .sort((a, b) => byStart(a[0] as WekaCall, b[0] as WekaCall));
    const first = [...preamble, ...(this.#chains[main] as Chain).calls].sort(byStart);
    return [first, ...workers];
  }

  #add(call: WekaCall): void {
    const hasTail = this.#chains.some((chain) => tailOf(chain) !== undefined);
    if (call.hashes.length === 0 || !hasTail) {
      if (this.#chains.length === 0) {
        this.#chains.push({ calls: [], fork: undefined, into: undefined });
      }
      this.#put(0, call);
      return;
    }
    const continued = this.#continued(call);
    if (continued !== undefined) this.#put(continued, call);
    else this.#fork(call);
  }

  /** The chain whose last prompt is the longest complete beginning of a call's prompt. */
  #continued({ draft, hashes }: WekaCall): number | undefined {
    let best: number | undefined;
    let most = -1;
    this.#chains.forEach((chain, index) => {
      const tail = tailOf(chain);
      if (tail === undefined || tail.draft.model !== draft.model) return;
      if (tail.draft.endMs > draft.startMs + EQUAL_MS) return;
      const { length } = tail.hashes;
      if (length > most && sharedLength(tail.hashes, hashes) === length) {
        [best, most] = [index, length];
      }
    });
    return best;
  }

  #fork(call: WekaCall): void {
    let parent: Chain | undefined;
    let key: [number, number] = [0, 0];
    for (const chain of this.#chains) {
      const tail = tailOf(chain);
      if (tail === undefined) continue;
      const depth = sharedLength(tail.hashes, call.hashes);
      const next: [number, number] = [depth, tail.hashes.length];
      if (depth > 0 && isLess(key, next)) [key, parent] = [next, chain];
    }
    const tail = parent === undefined ? undefined : tailOf(parent)?.order;
    const fork = { tail, depth: key[0], timeMs: call.draft.startMs };
    this.#chains.push({ calls: [], fork, into: undefined });
    const index = this.#chains.length - 1;
    this.#put(index, call);
    if (tail !== undefined) this.#addFork(tail, index);
  }

  #addFork(tail: number, chain: number): void {
    const known = this.#forks.get(tail);
    if (known === undefined) this.#forks.set(tail, [chain]);
    else known.push(chain);
  }

  #put(chain: number, call: WekaCall): void {
    this.#chains[chain]?.calls.push(call);
    this.#chainOf.set(call.order, chain);
  }

  #owner(chain: number): number {
    let at = chain;
    for (let next = this.#chains[at]?.into; next !== undefined; next = this.#chains[at]?.into) {
      at = next;
    }
    return at;
  }

  /** Puts a fork back where no call ever returns to the longer state: a compaction. */
  #splice(): void {
    let todo = [...this.#forks.keys()].sort((a, b) => a - b);
    const done = new Set<number>();
    for (let order = todo.shift(); order !== undefined; order = todo.shift()) {
      if (done.has(order)) continue;
      done.add(order);
      const again = this.#spliceAt(order);
      if (again === undefined) continue;
      done.delete(again);
      todo = [...new Set([...todo, again])].sort((a, b) => a - b);
    }
  }

  /** @returns the order of the call at which forks have to be looked at once more */
  #spliceAt(order: number): number | undefined {
    const index = this.#owner(this.#chainOf.get(order) as number);
    const owner = this.#chains[index] as Chain;
    const tail = tailOf(owner);
    if (tail?.order !== order) return undefined;
    const open = (this.#forks.get(order) as number[])
      .filter((fork) => this.#chains[fork]?.into === undefined);
    const best = lastBy(
      open.filter((fork) => this.#mayFollow(this.#chains[fork] as Chain, tail)),
      (fork) => {
        const { depth = 0, timeMs = 0 } = this.#chains[fork]?.fork ?? {};
        return [depth, -timeMs, -fork];
      },
    );
    if (best === undefined) return undefined;
    const moved = this.#chains[best] as Chain;
    owner.calls = [...owner.calls, ...moved.calls];
    for (const call of moved.calls) this.#chainOf.set(call.order, index);
    moved.into = index;
    return this.#moveForks(open.filter((fork) => fork !== best), tailOf(owner) as WekaCall);
  }

  #moveForks(forks: readonly number[], tail: WekaCall): number | undefined {
    let again: number | undefined;
    for (const fork of forks) {
      const chain = this.#chains[fork] as Chain;
      const depth = sharedLength(tail.hashes, chain.calls[0]?.hashes ?? []);
      if (depth === 0 || chain.fork === undefined) continue;
      chain.fork.tail = tail.order;
      chain.fork.depth = depth;
      this.#addFork(tail.order, fork);
      again = tail.order;
    }
    return again;
  }

  #mayFollow({ calls: [first], fork }: Chain, tail: WekaCall): boolean {
    if (first === undefined || fork === undefined || fork.depth === 0) return false;
    const gapSeconds = (first.draft.startMs - tail.draft.endMs) / 1000;
    const isFar = gapSeconds > FAR_SECONDS && fork.depth / tail.hashes.length < FAR_SHARE;
    return tail.draft.endMs <= first.draft.startMs + EQUAL_MS &&
      first.draft.model === tail.draft.model && !isFar;
  }
}

function tailOf({ calls }: Chain): WekaCall | undefined {
  return calls.findLast(({ hashes }) => hashes.length > 0);
}
