import assert from "node:assert/strict";
import { analyzeTrace } from "../../../src/report/trace_analysis/analyze_trace.ts";
import { parseReplyTimes } from "../../../src/report/trace_analysis/reply_times.ts";
import type {
  SessionAnalysis,
  SessionsAnalysis,
} from "../../../src/report/trace_analysis/session_analysis.ts";

const AGENTS = new URL("../../../fixtures/agents/", import.meta.url).pathname;

/** Difference of times at most, in milliseconds. */
const TOLERANCE_MS = 0.001 + 1e-9;

interface Expected extends SessionsAnalysis {
  readonly "file": string;
  readonly "settings": { readonly out?: number };
}

/** Fields that are compared wherever the expected file has them. */
type Fields = Readonly<Record<string, unknown>>;

const files = [...Deno.readDirSync(AGENTS)].map(({ name }) => name)
  .filter((name) => name.endsWith(".expected.json")).sort();

Deno.test("analyzeTrace has an example of each format of agent sessions", () => {
  assert.equal(files.length, 21);
});

for (const name of files) {
  Deno.test(`analyzeTrace finds sessions, starts and tokens of ${name}`, async () => {
    const expected = JSON.parse(await Deno.readTextFile(`${AGENTS}${name}`)) as Expected;
    const analysis = await analyzeTrace({
      path: `${AGENTS}${expected.file}`,
      format: undefined,
      blockSize: expected.block_size,
      cacheTokens: [],
      outputTokens: expected.settings.out,
      replyTimes: [parseReplyTimes("fixed:1s")],
      tokenizer: { kind: "file", path: `${AGENTS}tok_bytes`, name: undefined },
      interrupt: new AbortController().signal,
      note() {},
    });
    const { sessions = [], totals, block_size: blockSize } = analysis;
    assert.equal(blockSize, expected.block_size);
    assert.deepEqual(sessions.map(({ id }) => id), expected.sessions.map(({ id }) => id));
    expected.sessions.forEach((session, place) =>
      compareSession(sessions[place] as SessionAnalysis, session)
    );
    compare(totals, expected.totals, "totals");
  });
}

function compareSession(actual: SessionAnalysis, expected: SessionAnalysis): void {
  const { calls, ...rest } = expected;
  assert.deepEqual(actual.calls.map(({ id }) => id), calls.map(({ id }) => id));
  calls.forEach((call, place) => {
    compare(actual.calls[place], call, `${actual.id} ${call.id}`);
    assert.deepEqual(Object.keys(actual.calls[place] ?? {}).sort(), Object.keys(call).sort());
  });
  compare(actual, rest, actual.id);
  assert.deepEqual(
    Object.keys(actual.schedules ?? {}).sort(),
    Object.keys(expected.schedules ?? {}).sort(),
  );
}

/** Compares what an expected value has; numbers with the tolerance of times unless they are whole. */
function compare(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected === "number" && typeof actual === "number") {
    const tolerance = /_ms|tokens_ms|pct/.test(where) ? TOLERANCE_MS : 0;
    assert.ok(Math.abs(actual - expected) <= tolerance, `${where}: ${actual} is not ${expected}`);
  } else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), where);
    assert.equal(actual.length, expected.length, where);
    expected.forEach((one, place) => compare(actual[place], one, `${where}[${place}]`));
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof actual === "object" && actual !== null, `${where} is missing`);
    for (const [name, value] of Object.entries(expected as Fields)) {
      compare((actual as Fields)[name], value, `${where}.${name}`);
    }
  } else assert.equal(actual, expected, where);
}
