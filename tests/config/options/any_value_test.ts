/** Whatever somebody gives an option: the program answers, and nothing of it is a stack trace. */

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { runProgram } from "../../../src/cli/program.ts";
import { flagOf, type OptionSpec, specsOf } from "../../../src/config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";

/** A run that plans for longer hangs, however busy the machine is. */
const HANG_MS = 60_000;
const VALUES_PER_OPTION = 6;

/** What a planned run said, and how it ended. */
interface Planned {
  readonly code: number;
  readonly text: string;
  readonly elapsedMs: number;
}

/** Plans a run in this process: it neither sends nor writes anything. */
async function planned(args: readonly string[]): Promise<Planned> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  const { stdout, stderr } = Deno;
  const own = [stdout.writeSync, stderr.writeSync] as const;
  stdout.writeSync = stderr.writeSync = (bytes) => {
    pieces.push(decoder.decode(bytes));
    return bytes.length;
  };
  const startMs = performance.now();
  try {
    const code = await runProgram(["profile", "--dry-run", ...args]);
    return { code, text: pieces.join(""), elapsedMs: performance.now() - startMs };
  } finally {
    [stdout.writeSync, stderr.writeSync] = own;
  }
}

async function assertAnswers(args: readonly string[]): Promise<void> {
  const { code, text, elapsedMs } = await planned(args);
  const shown = JSON.stringify(args);
  assert.ok([0, 1, 2].includes(code), `${shown}: exit code ${code}`);
  assert.doesNotMatch(text, /^\s+at |\.ts:\d+:\d+/m, shown);
  assert.ok(elapsedMs < HANG_MS, `${shown}: ${elapsedMs} ms`);
}

const NUMBERS = [
  ...["0", "-0", "-1", "1", "1.5", "1e300", "1e400", "-1e400", "5e-324", "1e-320", "inf", "-inf"],
  ...["NaN", "9007199254740993", "0x10", "1_000", "1e9h", "1/m", "1e308/s", "١", " 7 ", "+3"],
];
const FILES = [
  ...["/", ".", "..", "/dev/zero", "/dev/null", "/dev/stdin", "-", "/etc/passwd", "a\0b", "~"],
  ...["/proc/self/mem", "x".repeat(5000), "no such file", "\ud800", "file:///etc/passwd"],
];
const TEXTS = [
  ...["", " ", "\n", "\x1b[2J", "a:b", "a:1,b:2", ":", "{", "{}", "[]", "null", '{"a":1e999}', "é"],
  ...["messages:[]", "prompt:x", "stream:false", "ttft:1e400", "--", "%", "/%zz#?", "/a b", "🚀"],
  ...['{"__proto__":{"a":1}}', "__proto__:1", "constructor", "a".repeat(100_000), "X-A: b\r\nC: d"],
];

/** One for all options: what fast-check prepares for it takes longer than what is drawn from it. */
const ANY_TEXT = fc.string({ unit: "binary", maxLength: 30 });

/** Options whose values name hosts. */
const HOSTS = new Set(["url", "serverMetrics", "gpuTelemetry"]);

/** Values that people and programs get wrong, and any text besides. */
function anyValue(spec: OptionSpec): fc.Arbitrary<string> {
  const choices = spec.choices ?? [];
  // Names of hosts would be looked up, which takes as long as it takes.
  const hosts = HOSTS.has(spec.name);
  const texts = hosts
    ? [...TEXTS, ...FILES, ...NUMBERS].filter((text) => !/^[\p{L}~]/u.test(text))
      .map((text) => `127.0.0.1:8000/${text}`)
    : [...TEXTS, ...FILES, ...NUMBERS, ...choices];
  if (hosts) {
    return fc.constantFrom(...texts, "", " ", ":", "http://", "//", "[::1");
  }
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: ANY_TEXT },
    { weight: 1, arbitrary: fc.double().map(String) },
  );
}

const BASE: Readonly<Record<string, string>> = { url: "127.0.0.1:8000", model: "m" };
/** Options of which one more is needed, so that their values are looked at. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  goodput: ["--streaming"],
  allowFiles: ["--input-file", "x.jsonl"],
};

function besides(spec: OptionSpec): string[] {
  const base = Object.entries(BASE).filter(([name]) => name !== spec.name)
    .flatMap(([name, value]) => [flagOf(name), value]);
  return [...base, ...(BESIDE[spec.name] ?? [])];
}

for (const spec of specsOf(PROFILE_COMMAND_OPTIONS)) {
  Deno.test(`profile --dry-run answers to any value of ${flagOf(spec.name)}`, async () => {
    if (spec.kind === "flag") return await assertAnswers([...besides(spec), flagOf(spec.name)]);
    await fc.assert(
      fc.asyncProperty(
        anyValue(spec),
        (value) => assertAnswers([...besides(spec), `${flagOf(spec.name)}=${value}`]),
      ),
      { numRuns: VALUES_PER_OPTION },
    );
  });
}

Deno.test("profile --dry-run answers to any values of all options together", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record(
        Object.fromEntries(
          specsOf(PROFILE_COMMAND_OPTIONS).filter(({ kind }) => kind !== "flag")
            .map((spec) => [spec.name, anyValue(spec)]),
        ),
        { requiredKeys: ["url", "model"] },
      ),
      (values) =>
        assertAnswers(
          Object.entries(values).map(([name, value]) => `${flagOf(name)}=${value}`),
        ),
    ),
    { numRuns: 50 },
  ));
