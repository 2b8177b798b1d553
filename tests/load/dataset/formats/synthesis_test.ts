import assert from "node:assert/strict";
import fc from "fast-check";
import type { SynthesisPlan } from "../../../../src/config/plan/run_plan.ts";
import { InputRecord } from "../../../../src/load/dataset/formats/input_record.ts";
import { Synthesis } from "../../../../src/load/dataset/formats/synthesis.ts";
import { lines, readText, tableOf, UNCHANGED } from "../../../support/input_files.ts";

const record = new InputRecord("{}", { path: "f", line: 1, column: 1 });
const row = (hashIds: readonly number[], inputTokens: number, outputTokens = 5) => ({
  record,
  session: undefined,
  timestampMs: undefined,
  delayMs: undefined,
  outputTokens,
  hashIds,
  inputTokens,
});
const rows = [row([1, 2, 3], 30), row([1, 2, 4], 25), row([1, 5], 20)];

async function loaded(plan: Partial<SynthesisPlan>): Promise<Synthesis> {
  return await Synthesis.load({ ...UNCHANGED, ...plan }, 10, 1, async function* () {
    yield* rows;
  });
}

const lengthOf = (made: ReturnType<Synthesis["made"]>): number =>
  (made?.restTokens ?? 0) + (made?.blocks ?? []).reduce((sum, { tokens }) => sum + tokens, 0);

Deno.test("synthesis leaves a trace as it is with factors of 1", async () => {
  const made = (await loaded({})).made(rows[1] as (typeof rows)[number], 0);
  assert.deepEqual(made, {
    blocks: [{ key: 1, tokens: 10 }, { key: 2, tokens: 10 }, { key: 4, tokens: 5 }],
    restTokens: 0,
    outputTokens: 5,
  });
});

Deno.test("synthesis multiplies what prompts share and what they do not by itself", async () => {
  const longer = await loaded({ prefixLength: 2 });
  // Two shared blocks become four; the third is the prompt's own.
  assert.deepEqual(rows.map((one, i) => lengthOf(longer.made(one, i))), [50, 45, 30]);
  const own = await loaded({ promptLength: 0.5 });
  assert.deepEqual(rows.map((one, i) => lengthOf(own.made(one, i))), [25, 23, 15]);
});

Deno.test("synthesis keeps common prefixes common, whatever the factor", async () => {
  await fc.assert(fc.asyncProperty(
    fc.double({ min: 0.1, max: 6, noNaN: true }),
    fc.double({ min: 0, max: 3, noNaN: true }),
    async (prefixLength, promptLength) => {
      const made = await loaded({ prefixLength, promptLength });
      const keys = rows.map((one, i) => made.made(one, i)?.blocks.map(({ key }) => key) ?? []);
      const common = (a: readonly number[] = [], b: readonly number[] = []): number => {
        const end = a.findIndex((key, i) => key !== b[i]);
        return end < 0 ? a.length : end;
      };
      assert.ok(
        common(keys[0], keys[1]) >= Math.min(Math.round(2 * prefixLength), keys[1]?.length ?? 0),
      );
      assert.ok(
        common(keys[0], keys[2]) >= Math.min(Math.round(prefixLength), keys[2]?.length ?? 0),
      );
    },
  ));
});

Deno.test("synthesis gives every multiplied block a text of its own, whatever the factor", async () => {
  await fc.assert(fc.asyncProperty(
    fc.double({ min: 1, max: 6, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 1, max: 3 }),
    async (prefixLength, promptLength, prefixRoots) => {
      const made = await loaded({ prefixLength, promptLength, prefixRoots });
      const copies = new Set<string>();
      for (let index = 0; index < 20; index++) {
        const keys = rows.map((one) => made.made(one, index)?.blocks.map(({ key }) => key) ?? []);
        for (const own of keys) assert.equal(new Set(own).size, own.length, `${own}`);
        // Blocks behind the common prefix of two prompts, whose ids differ, must differ.
        const apart = (a: number, b: number, blocks: number): void => {
          const from = Math.round(blocks * prefixLength);
          const rest = keys[a]?.slice(from) ?? [];
          assert.ok(rest.every((key) => !keys[b]?.includes(key)), `${keys[a]} and ${keys[b]}`);
        };
        apart(0, 1, 2);
        apart(0, 2, 1);
        apart(1, 2, 1);
        copies.add(`${keys[0]}`);
      }
      // Trees of prefixes have no block in common.
      const all = [...copies].flatMap((keys) => keys.split(","));
      assert.equal(new Set(all).size, all.length);
      assert.ok(copies.size <= prefixRoots);
    },
  ));
});

Deno.test("synthesis of a longer prefix makes prompts without a repeated block", async () => {
  const [blockSize, factor] = [32, 3];
  const trace = lines(
    ...[[1, 2, 3], [1, 2, 4]].map((ids) => ({ "input_length": 3 * blockSize, "hash_ids": ids })),
  );
  const synthesis = { ...UNCHANGED, prefixLength: factor };
  const { conversations } = await readText(trace, { blockSize, synthesis });
  const { bodies } = await tableOf(conversations);
  const blocks = bodies.map(({ messages }) => {
    const words: string[] = messages[0].content.split(" ");
    assert.equal(words.length, (2 * factor + 1) * blockSize);
    return Array.from(
      { length: 2 * factor + 1 },
      (_, i) => words.slice(i * blockSize, (i + 1) * blockSize).join(" ").trim(),
    );
  });
  for (const own of blocks) assert.equal(new Set(own).size, own.length);
  assert.equal(new Set(blocks.flat()).size, 2 * factor + 2);
});

Deno.test("synthesis divides conversations among copies of the tree", async () => {
  const made = await loaded({ prefixRoots: 3 });
  const first = Array.from(
    { length: 200 },
    (_, i) => made.made(row([1, 2], 20), i)?.blocks.map(({ key }) => key).join(),
  );
  assert.equal(new Set(first).size, 3);
});

Deno.test("synthesis leaves out what is too long and cuts outputs", async () => {
  const made = await loaded({ maxInputTokens: 24, maxOutputTokens: 3, outputLength: 2 });
  assert.deepEqual(rows.map((one, i) => made.made(one, i)?.outputTokens), [
    undefined,
    undefined,
    3,
  ]);
  const { conversations, warnings } = await readText(
    lines({ "input_length": 5, "output_length": 4 }, { "input_length": 9, "output_length": 4 }),
    { synthesis: { ...UNCHANGED, maxInputTokens: 8, outputLength: 1.5 } },
  );
  const { payloads } = await tableOf(conversations);
  assert.deepEqual([...payloads.data.outputTokens], [6]);
  assert.match(warnings[0] as string, /rows of more than 8 tokens, left out: 1$/);
});
