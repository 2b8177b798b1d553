import assert from "node:assert/strict";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import type { ProfileOptions } from "../../../../src/config/options/profile/profile_types.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import {
  scenarioPlan,
  scenarioSettings,
} from "../../../../src/config/plan/prompts/scenario_locks.ts";
import { SCENARIOS } from "../../../../src/config/plan/prompts/scenarios.ts";

function planOf(scenario: string, options: ProfileOptions, format = "weka-trace") {
  const given = {
    url: ["http://127.0.0.1:1"],
    inputFile: "trace.json",
    streaming: true,
    concurrency: 4,
    scenario,
    ...options,
  } as ProfileOptions;
  return scenarioPlan(scenarioSettings(resolveOptions(PROFILE_OPTIONS, given)), format);
}

/** Settings against the locks of each scenario, as options. */
const BROKEN: Readonly<Record<string, readonly ProfileOptions[]>> = {
  "inferencex-agentx-mvp": [
    { streaming: false },
    { ignoreTraceDelays: true },
    { benchmarkDuration: 899 },
    { trajectoryStartMinRatio: 0.5 },
    { systemIdleGapCapSeconds: 20 },
    { traceIdleGapCapSeconds: 300 },
    { interTurnDelayCapSeconds: 5 },
    { history: "live" },
    { cacheBust: "none" },
  ],
  "inferencex-agentx": [
    { streaming: false },
    { toolTime: "none" },
    { benchmarkDuration: 1800 },
    { trajectoryStartMaxRatio: 1 },
    { traceIdleGapCapSeconds: 60 },
    { warmupRequestCount: 4 },
    { randomSeed: 1 },
    { history: "recorded" },
    { cacheBust: "system-prefix" },
  ],
  "mlperf-agentic": [
    { userTime: "scale:0.5" },
    { trajectoryStartMinRatio: 0.25 },
    { benchmarkDuration: 60 },
    { requestCount: 10 },
    { history: "live" },
    { cacheBust: "first-turn-prefix" },
    { window: "run" },
  ],
  "agentperf-local": [
    { concurrency: 2 },
    { maxParallelCalls: 2 },
    { toolTime: "recorded" },
    { history: "live" },
    { cacheBust: "none" },
  ],
};

for (const { name, format, version } of SCENARIOS) {
  const fitting: ProfileOptions = name === "agentperf-local" ? { concurrency: 1 } : {};

  Deno.test(`--scenario ${name} sets what it locks, and knows its format`, () => {
    const plan = planOf(name, fitting, format);
    assert.deepEqual([plan?.name, plan?.version, plan?.isOverridden], [name, version, false]);
    assert.equal(plan?.isDatasetApproved, true);
    assert.equal(planOf(name, fitting, "otel-spans")?.isDatasetApproved, false);
  });

  Deno.test(`--scenario ${name} refuses other settings, unless that is overridden`, () => {
    for (const options of BROKEN[name] ?? []) {
      const given = { ...fitting, ...options };
      const [option] = Object.keys(options);
      const flag = `--${option?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      assert.throws(
        () => planOf(name, given),
        (error) =>
          error instanceof UsageError && error.message.includes(flag) &&
          error.message.includes(name),
        flag,
      );
      assert.equal(planOf(name, { ...given, unsafeOverride: true })?.isOverridden, true);
    }
  });
}
