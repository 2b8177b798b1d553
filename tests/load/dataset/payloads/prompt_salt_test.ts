import assert from "node:assert/strict";
import {
  type SaltedTurn,
  saltInPlaceOf,
  saltLength,
  saltText,
  type SaltWords,
} from "../../../../src/load/dataset/payloads/prompt_salt.ts";

const WORDS: SaltWords = {
  words: "longwordsalthavemanybytefourbits"
    .concat("abcdefghijklmnopqrstuvwxyzABCDEF"),
  ...{ wordBytes: 4, wordBits: 4, run: 3 },
};

function salt(run: number, turn: Partial<SaltedTurn>, place = 0, length = saltLength(WORDS)) {
  const key = { phase: "profiling", session: 0, turn: 0, ...turn } as const;
  return saltText({ ...WORDS, run }, key, place, length, false);
}

Deno.test("saltText differs by run, phase, session, turn and place, and is the same for the same", () => {
  const all = new Set<string>();
  let count = 0;
  for (const run of [0, 1, 2 ** 24 - 1]) {
    for (const phase of ["warmup", "profiling"] as const) {
      for (const session of [0, 1, 2, 999, 100_000_000]) {
        for (const turn of [0, 1, 40]) {
          for (const place of [0, 1]) {
            const text = salt(run, { phase, session, turn }, place);
            assert.equal(text, salt(run, { phase, session, turn }, place));
            assert.equal(text.length, saltLength(WORDS) * 5 - 1);
            all.add(text);
            count++;
          }
        }
      }
    }
  }
  assert.equal(all.size, count);
});

Deno.test("saltText repeats nothing within a run while short salts have values left", () => {
  // Three words of four bits: 4,096 salts, 2,048 of them for the profiling phase.
  const short = Array.from({ length: 2048 }, (_, session) => salt(5, { session }, 0, 3));
  assert.equal(new Set(short).size, 2048);
  const other = Array.from({ length: 2048 }, (_, session) => salt(6, { session }, 0, 3));
  assert.notDeepEqual(short.slice(0, 20), other.slice(0, 20));
});

Deno.test("saltInPlaceOf keeps the bytes and the leading space of the salt that it replaces", () => {
  const turn = { phase: "profiling", session: 12, turn: 0 } as const;
  for (const continues of [true, false]) {
    for (const length of [1, 4, saltLength(WORDS)]) {
      const old = saltText(WORDS, { ...turn, session: 3 }, 0, length, continues);
      const bytes = saltInPlaceOf(new TextEncoder().encode(old), WORDS, turn, 0);
      assert.equal(bytes.length, old.length);
      const expected = saltText(WORDS, turn, 0, length, continues);
      assert.equal(new TextDecoder().decode(bytes), expected);
    }
  }
});
