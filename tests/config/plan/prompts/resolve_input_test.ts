import assert from "node:assert/strict";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import type { ProfileOptions } from "../../../../src/config/options/profile/profile_types.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import type { InputFacts } from "../../../../src/config/plan/input_facts.ts";
import { resolveInput } from "../../../../src/config/plan/prompts/resolve_input.ts";

const TRACE: InputFacts = {
  format: "mooncake-trace",
  isTrace: true,
  hasTimestamps: true,
  notice: undefined,
};
const TEXTS = { ...TRACE, format: "single-turn", isTrace: false };

function input(options: ProfileOptions, facts: InputFacts | undefined = TRACE) {
  const all = { inputFile: "t.jsonl", ...options };
  return resolveInput(resolveOptions(PROFILE_OPTIONS, all), facts);
}

Deno.test("resolveInput replays times where it is asked, or a trace is named", () => {
  const whole = { zeroMs: undefined, startMs: -Infinity, endMs: Infinity };
  assert.deepEqual(input({ fixedSchedule: true }).schedule, whole);
  assert.deepEqual(input({ fixedSchedule: true }, TEXTS).schedule, whole);
  assert.deepEqual(input({ fixedSchedule: true, concurrency: 3 }).schedule, whole);
  const named = { customDatasetType: "mooncake_trace" };
  assert.deepEqual(input(named).schedule, whole);
  assert.equal(input({ ...named, noFixedSchedule: true }).schedule, undefined);
  assert.equal(input(named, { ...TRACE, hasTimestamps: false }).schedule, undefined);
  const bounds = { fixedScheduleStartOffset: 5, fixedScheduleEndOffset: 5 };
  assert.deepEqual(input({ fixedSchedule: true, ...bounds }).schedule, {
    zeroMs: 5,
    startMs: 5,
    endMs: 5,
  });
});

Deno.test("resolveInput warns of times that are not replayed, unless that is wanted", () => {
  assert.match(input({}).warnings[0] as string, /^t\.jsonl has timestamps, which are not replayed/);
  assert.deepEqual(input({ noFixedSchedule: true, requestRate: 3 }).warnings, []);
  assert.deepEqual(input({ fixedSchedule: true }).warnings, []);
  assert.deepEqual(input({}, { ...TRACE, hasTimestamps: false }).warnings, []);
});

Deno.test("resolveInput refuses what contradicts a schedule or the file", () => {
  const named = { customDatasetType: "mooncake_trace" };
  const cases: [ProfileOptions, RegExp, InputFacts?][] = [
    [{ fixedSchedule: true, requestRate: 3 }, /^--request-rate: Cannot be combined with --fixed/],
    [
      { fixedSchedule: true, requestRateSeries: '[{"time_s":0,"qps":1}]' },
      /^--request-rate-series: Cannot be combined with --fixed/,
    ],
    [
      { fixedSchedule: true, userCentricRate: 2, numUsers: 3 },
      /^--user-centric-rate: Cannot be combined with --fixed/,
    ],
    [{ ...named, userCentricRate: 2, numUsers: 3 }, /^--user-centric-rate: .*--no-fixed-schedule/],
    [
      { fixedSchedule: true, arrivalPattern: "concurrency-burst" },
      /^--arrival-pattern: Cannot be combined with --fixed/,
    ],
    [{ ...named, requestRate: 3 }, /^--request-rate: .*--no-fixed-schedule prevents that$/],
    [
      { fixedSchedule: true, datasetSamplingStrategy: "shuffle" },
      /^--dataset-sampling-strategy: Must be sequential/,
    ],
    [
      { fixedSchedule: true, fixedScheduleStartOffset: 9, fixedScheduleEndOffset: 8 },
      /^--fixed-schedule-start-offset: Must not exceed/,
    ],
    [{ fixedScheduleEndOffset: 8 }, /^--fixed-schedule-end-offset: Needs --fixed-schedule$/],
    [{ fixedSchedule: true }, /has no timestamp that could be replayed: /, {
      ...TEXTS,
      hasTimestamps: false,
    }],
    [{ synthesisMaxIsl: 8 }, /^--synthesis-max-isl: Needs a trace .*, not single-turn$/, TEXTS],
    [{ islBlockSize: 8 }, /^--isl-block-size: Needs a trace/, TEXTS],
    [
      { fixedSchedule: true, fixedScheduleAutoOffset: true, fixedScheduleStartOffset: 1 },
      /--fixed-schedule-auto-offset/,
    ],
    [{ fixedSchedule: true, ignoreTraceDelays: true }, /^--ignore-trace-delays: Leaves --fixed-/],
    [{ fixedSchedule: true, noFixedSchedule: true }, /--no-fixed-schedule/],
  ];
  for (const [options, message, facts] of cases) {
    assert.throws(() => input(options, facts), { name: "UsageError", message });
  }
});
