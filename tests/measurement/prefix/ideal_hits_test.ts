/** Hits that caches could have had, against a plain simulation over all words of all prompts. */

import assert from "node:assert/strict";
import {
  type CachedRequest,
  hitsByRequest,
  type IdealHits,
  summedHits,
} from "../../../src/measurement/prefix/ideal_hits.ts";
import { PromptBlocks } from "../../../src/measurement/prefix/prompt_blocks.ts";
import {
  countTokens,
  countWords,
  joinedCodes,
  markCode,
  PromptCoder,
  type TextCount,
} from "../../../src/measurement/prefix/prompt_code.ts";
import { partCount } from "../../../src/measurement/prefix/prompt_tokens.ts";
import { PromptTrie } from "../../../src/measurement/prefix/prompt_trie.ts";

/** Numbers from 0 to 1 that are the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function idealHits(...input: Parameters<typeof hitsByRequest>): IdealHits {
  return summedHits(hitsByRequest(...input));
}

const codeOf = (text: string): string => new PromptCoder(undefined).code(text);

/** Prompts of words, many of which begin alike. */
function promptsOf(seed: number, count: number): string[] {
  const random = randomNumbers(seed);
  const word = (): string => `w${Math.floor(random() * 900)}`;
  const words = (length: number): string => Array.from({ length }, word).join(" ");
  const shared = Array.from({ length: 3 }, () => words(20 + Math.floor(random() * 30)));
  const prompts: string[] = [];
  for (let at = 0; at < count; at++) {
    const beginning = random() < 0.3 && prompts.length > 0
      ? prompts[Math.floor(random() * prompts.length)] as string
      : shared[Math.floor(random() * shared.length)] as string;
    prompts.push(
      random() < 0.15 ? beginning : `${beginning} ${words(1 + Math.floor(random() * 25))}`,
    );
  }
  return prompts;
}

/** Hits in tokens of a cache that keeps whole lists of words, block by block. */
function simulated(prompts: readonly string[], blockSize: number, capacity: number): number {
  const cache: string[] = [];
  let hits = 0;
  for (const prompt of prompts) {
    const words = prompt.split(" ");
    const chains: string[] = [];
    for (let end = blockSize; end <= words.length; end += blockSize) {
      chains.push(words.slice(0, end).join(" "));
    }
    const reusable = Math.floor((words.length - 1) / blockSize);
    let found = 0;
    while (found < reusable && cache.includes(chains[found] as string)) found++;
    hits += found * blockSize;
    const others = cache.filter((chain) => !chains.includes(chain));
    // Blocks of the prompt stay; of others, the least recently used ones go first.
    const kept = chains.filter((chain) => cache.includes(chain));
    for (const chain of chains) {
      if (kept.includes(chain)) continue;
      if (others.length + kept.length >= capacity) {
        if (others.length === 0) continue;
        others.shift();
      }
      kept.push(chain);
    }
    cache.splice(
      0,
      cache.length,
      ...others,
      ...chains.filter((chain) => kept.includes(chain)).reverse(),
    );
  }
  return hits;
}

function found(prompts: readonly string[], blockSize: number, capacity: number | undefined) {
  const trie = new PromptTrie();
  const requests = prompts.map((text, at): CachedRequest => ({
    ...{ node: trie.add(codeOf(text)), tokens: text.split(" ").length, startNs: at * 10 },
    ...{ readyNs: at * 10 + 1, cachedTokens: NaN, isBefore: false },
  }));
  const counted = prompts.map((text, at) => ({
    code: codeOf(text),
    parts: 1,
    tokens: requests[at]?.tokens ?? 0,
  }));
  const blocks = new PromptBlocks(trie, () => requests, partCount(counted), blockSize);
  return idealHits(requests, blocks, blockSize, capacity);
}

for (const blockSize of [1, 4, 16]) {
  Deno.test(`idealHits finds what caches of blocks of ${blockSize} words keep`, () => {
    for (let seed = 1; seed <= 12; seed++) {
      const prompts = promptsOf(seed, 40);
      const capacity = 3 + seed * Math.ceil(24 / blockSize);
      const hits = found(prompts, blockSize, capacity);
      assert.equal(hits.idealTokens, simulated(prompts, blockSize, Infinity), `infinite, ${seed}`);
      assert.equal(hits.lruTokens, simulated(prompts, blockSize, capacity), `LRU, ${seed}`);
      assert.ok(hits.lruTokens <= hits.idealTokens && hits.idealTokens <= hits.reusableTokens);
      assert.ok(hits.idealTokens > 0);
    }
  });
}

Deno.test("idealHits computes the last token always, and knows no size without a capacity", () => {
  const prompt = Array.from({ length: 32 }, (_, at) => `w${at}`).join(" ");
  const hits = found([prompt, prompt], 16, undefined);
  assert.equal(hits.idealTokens, 16, "of two full blocks only the first is reusable");
  assert.ok(Number.isNaN(hits.lruTokens));
});

Deno.test("idealHits tells what another request was still computing, and what fills caches before", () => {
  const text = Array.from({ length: 40 }, (_, at) => `w${at}`).join(" ");
  const trie = new PromptTrie();
  const request = (startNs: number, cachedTokens: number, isBefore = false): CachedRequest => ({
    ...{
      node: trie.add(codeOf(text)),
      tokens: 40,
      startNs,
      readyNs: startNs + 100,
      cachedTokens,
      isBefore,
    },
  });
  const requests = [request(0, 0, true), request(50, 0), request(60, 16), request(500, 32)];
  const counter = partCount([{ code: codeOf(text), parts: 1, tokens: 40 }]);
  const hits = idealHits(requests, new PromptBlocks(trie, () => requests, counter, 16), 16, 10);
  assert.equal(hits.requests, 3);
  assert.equal(hits.idealTokens, 96);
  assert.equal(hits.concurrentTokens, 64);
  assert.equal(hits.missedTokens, 48);
  assert.equal(hits.missedConcurrentTokens, 48);
});

Deno.test("idealHits has a block that is ready in the moment in which a request starts", () => {
  const text = Array.from({ length: 20 }, (_, at) => `w${at}`).join(" ");
  const trie = new PromptTrie();
  const requests = [0, 100, 99].map((startNs): CachedRequest => ({
    ...{ node: trie.add(codeOf(text)), tokens: 20, cachedTokens: 0, isBefore: false },
    ...{ startNs, readyNs: startNs + 100 },
  }));
  const blocks = new PromptBlocks(
    trie,
    () => requests,
    partCount([{ code: codeOf(text), parts: 1, tokens: 20 }]),
    16,
  );
  assert.equal(idealHits(requests.slice(0, 2), blocks, 16, 10).concurrentTokens, 0);
  assert.equal(
    idealHits([...requests.slice(0, 1), ...requests.slice(2)], blocks, 16, 10).concurrentTokens,
    16,
  );
});

Deno.test("partCount counts as the server does: by its words, its tokenizer, or in proportion", () => {
  const texts = promptsOf(5, 30);
  const halves: TextCount = (text) => Math.ceil(text.length / 2);
  const coder = new PromptCoder(halves);
  const words = (text: string): number => text.split(" ").length;
  const tokensOf = (text: string): number => countTokens(coder.code(text));
  const counted = (tokens: (text: string) => number) =>
    partCount(texts.map((text) => ({ code: coder.code(text), parts: 1, tokens: tokens(text) })));
  const found = ({ count }: ReturnType<typeof counted>, text: string) => count(coder.code(text));
  assert.equal(found(counted(words), "a b c"), 3);
  const framed = counted((text) => tokensOf(text) + 9);
  assert.equal(found(framed, "abcdef gh"), 5);
  assert.equal(framed.frameTokens + framed.endTokens, 9);
  const strange = counted((text) => tokensOf(text) + 9 + (text === texts[7] ? 40 : 0));
  assert.equal(found(strange, "abcdef"), 3, "one prompt is counted otherwise");
  const scaled = counted((text) => 1.5 * words(text));
  assert.ok(Math.abs(found(scaled, "a b c d") - 6) < 0.1);
});

Deno.test("prompts of several texts share the frames of those that they have in common", () => {
  const system = Array.from({ length: 20 }, (_, at) => `s${at}`).join(" ");
  const codes = ["a b c d", "x y z q"].map((user) => joinedCodes([codeOf(system), codeOf(user)]));
  const trie = new PromptTrie();
  // Each text has a frame of four tokens, as a template puts around it.
  const requests = codes.map((code, at): CachedRequest => ({
    ...{ node: trie.add(code), tokens: 24 + 8, startNs: at, readyNs: at, cachedTokens: NaN },
    isBefore: false,
  }));
  const counted = codes.map((code) => ({ code, parts: 2, tokens: 32 }));
  const blocks = new PromptBlocks(trie, () => requests, partCount(counted), 8);
  assert.equal(idealHits(requests, blocks, 8, undefined).idealTokens, 24);
});

Deno.test("idealHits finds replies that later turns repeat, once they are over", () => {
  const first = codeOf(Array.from({ length: 24 }, (_, at) => `a${at}`).join(" "));
  const replied = joinedCodes([first, markCode("reply 1")]);
  const second = joinedCodes([replied, codeOf("b0 b1 b2 b3 b4")]);
  const found = (startNs: number) => {
    const trie = new PromptTrie();
    const [node, reply, next] = [first, replied, second].map((code) => trie.add(code));
    assert.ok(node !== undefined && reply !== undefined && next !== undefined);
    // 24 tokens, a reply of 20, and 5 more: 49, of which the first 40 are in full blocks.
    const requests: CachedRequest[] = [
      {
        ...{ node, tokens: 24, startNs: 0, readyNs: 10, cachedTokens: 0, isBefore: false },
        reply: { node: reply, tokens: 24 + 20 - 1, readyNs: 100 },
      },
      { node: next, tokens: 49, startNs, readyNs: startNs + 1, cachedTokens: 0, isBefore: false },
    ];
    const placed = [{ node, tokens: 24 }, { node: reply, tokens: 44 }, { node: next, tokens: 49 }];
    const counter = partCount([{ code: first, parts: 1, tokens: 24 }]);
    return idealHits(requests, new PromptBlocks(trie, () => placed, counter, 8), 8, 100);
  };
  const { idealTokens, lruTokens, concurrentTokens } = found(200);
  assert.deepEqual([idealTokens, lruTokens, concurrentTokens], [40, 40, 0]);
  assert.equal(found(50).concurrentTokens, 16, "the reply is not there yet");
});

Deno.test("idealHits tells hits of other replicas where every reply names its replica", () => {
  const text = Array.from({ length: 40 }, (_, at) => `w${at}`).join(" ");
  const found = (workers: readonly number[]) => {
    const trie = new PromptTrie();
    const requests = workers.map((worker, at): CachedRequest => ({
      ...{ node: trie.add(codeOf(text)), tokens: 40, startNs: at * 10, readyNs: at * 10 + 15 },
      // The third and the last have hit, the others have not.
      ...{ cachedTokens: at === 2 || at === 4 ? 32 : 0, isBefore: false, worker },
    }));
    const counter = partCount([{ code: codeOf(text), parts: 1, tokens: 40 }]);
    return idealHits(requests, new PromptBlocks(trie, () => requests, counter, 16), 16, 10);
  };
  // The second goes to another replica; the fourth comes while that is computing.
  const { missedTokens, missedConcurrentTokens, missedElsewhereTokens, ...hits } = found(
    [1, 2, 1, 3, 1],
  );
  assert.deepEqual([missedTokens, missedElsewhereTokens, missedConcurrentTokens], [64, 64, 0]);
  assert.equal(hits.elsewhereTokens, 64);
  const concurrent = found([1, 1, 2, 2, 2]);
  assert.deepEqual(
    [concurrent.missedConcurrentTokens, concurrent.missedElsewhereTokens],
    [64, 0],
    "the second while the first is computed, the fourth while the third is",
  );
  assert.equal(found([1, NaN, 1, 3, 1]).elsewhereTokens, undefined);
  assert.equal(found([1, 1, 1, 1, 1]).elsewhereTokens, undefined, "there is no other replica");
});

Deno.test("codes of texts differ where the texts do, and cut long words", () => {
  const coder = new PromptCoder((text) => text.length);
  assert.equal(coder.code("a b").startsWith(coder.code("a")), true);
  assert.equal(coder.code("ab").startsWith(coder.code("a")), false);
  assert.notEqual(coder.code("a  b"), coder.code("a b"));
  const long = "字".repeat(100);
  assert.equal(countTokens(coder.code(long)), 100);
  assert.equal(coder.code(`${long}x`).startsWith(coder.code("字".repeat(96))), true);
  assert.equal(countWords(coder.code(long + " b")), 2);
  assert.equal(countWords(joinedCodes([coder.code("a b"), markCode("x"), coder.code("c")])), 3);
});
