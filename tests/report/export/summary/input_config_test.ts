/**
 * AIPerf's readers refuse a key or a value that is not theirs: what stands here was loaded by its
 * own models (`scripts/check_aiperf.ts` has them read whole runs).
 */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../../src/config/plan/run_plan.ts";
import { inputConfig, ownConfig } from "../../../../src/report/export/summary/input_config.ts";

const SETTINGS = { url: ["http://127.0.0.1:8000"], model: "m", randomSeed: 7, workers: 1 };

function planOf(options: ProfileOptions): Promise<RunPlan> {
  return resolvePlan({ ...SETTINGS, artifactDir: "out", ...options }, {
    cores: 4,
    cliCommand: "inferometer profile",
    findModel: () => Promise.resolve("m"),
  });
}

Deno.test("inputConfig names settings as AIPerf does", async () => {
  const plan = await planOf({
    streaming: true,
    concurrency: 3,
    requestCount: 9,
    requestTimeoutSeconds: 30,
    connectionReuseStrategy: "never",
    extraInputs: ["temperature:0.5"],
    header: ["X-Tenant: a"],
    apiKey: "sk-0123456789",
    exportLevel: "raw",
    exportHttpTrace: true,
    sliceDuration: 0.5,
    profileExportPrefix: "mine",
    goodput: "time_to_first_token:20",
    noServerMetrics: true,
  });
  assert.deepEqual(inputConfig(plan), {
    "models": { "items": [{ "name": "m" }] },
    "endpoint": {
      "urls": ["http://127.0.0.1:8000/"],
      "type": "chat",
      "timeout": 30,
      "streaming": true,
      "connection_reuse": "never",
      "use_legacy_max_tokens": false,
      "use_server_token_count": false,
      "headers": { "X-Tenant": "a", "Authorization": "<redacted>" },
      "extra": { "temperature": 0.5 },
    },
    "datasets": [{
      "name": "main",
      "type": "synthetic",
      "entries": 9,
      "sampling": "sequential",
      "random_seed": 7,
      "prompts": { "isl": { "mean": 550, "stddev": 0 } },
    }],
    "phases": [{
      "name": "profiling",
      "kind": "profiling",
      "type": "concurrency",
      "requests": 9,
      "concurrency": 3,
    }],
    "artifacts": {
      "dir": "out",
      "prefix": "mine",
      "records": ["jsonl"],
      "raw": true,
      "trace": true,
      "slice_duration": 0.5,
    },
    "slos": { "time_to_first_token": 20 },
    "tokenizer": { "name": "builtin" },
    "server_metrics": { "enabled": false },
    "runtime": { "workers": 1 },
  });
});

Deno.test("inputConfig gives a grace period beside a duration alone", async () => {
  const phases = async (options: ProfileOptions) => inputConfig(await planOf(options))["phases"];
  const rate = { requestRate: 5, arrivalPattern: "gamma", arrivalSmoothness: 2 };
  assert.deepEqual(await phases({ ...rate, benchmarkDuration: 2, benchmarkGracePeriod: 1 }), [{
    "name": "profiling",
    "kind": "profiling",
    "type": "gamma",
    "duration": 2,
    "grace_period": 1,
    "rate": 5,
    "smoothness": 2,
  }]);
  const plan = await planOf({ requestCount: 5 });
  const [profiling] = plan.phases;
  assert.ok(profiling !== undefined);
  const graceful = { ...plan, phases: [{ ...profiling, graceNs: 1e9 }] };
  assert.deepEqual((inputConfig(graceful)["phases"] as object[])[0], {
    "name": "profiling",
    "kind": "profiling",
    "type": "concurrency",
    "requests": 5,
    "concurrency": 1,
  });
});

Deno.test("inputConfig says how long outputs of a file's prompts are beside them", async () => {
  const file = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    await Deno.writeTextFile(file, `{"text":"hello"}\n`);
    const plan = await planOf({ inputFile: file, osl: 12, exportLevel: "summary" });
    const config = inputConfig(plan);
    assert.deepEqual(config["datasets"], [{
      "name": "main",
      "type": "file",
      "path": plan.dataset.source === "file" ? plan.dataset.path : "",
      "sampling": "sequential",
      "random_seed": 7,
      "osl": { "mean": 12, "stddev": 0 },
    }]);
    assert.equal((config["artifacts"] as { records: unknown }).records, false);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("ownConfig holds what AIPerf has no name for", async () => {
  assert.deepEqual(ownConfig(await planOf({})), {
    "transport": "socket",
    "per_chunk_usage": false,
  });
  assert.equal(ownConfig(await planOf({ transport: "fetch" }))["transport"], "fetch");
  const omitting = await planOf({ omitInputs: ["stream_options"] });
  assert.deepEqual(ownConfig(omitting)["omitted_inputs"], ["stream_options"]);
});

Deno.test("inputConfig has what prompts are made of where AIPerf has it, ownConfig the rest", async () => {
  const plan = await planOf({
    seqDist: "40,3:50;90|3,5:50",
    promptCorpus: "coding",
    promptBatchSize: 2,
    cacheBust: "first-turn-prefix",
    sharedSystemPromptLength: 9,
    userContextPromptLength: 3,
    tokenizer: "builtin",
  });
  const [dataset] = inputConfig(plan)["datasets"] as Record<string, unknown>[];
  // Loaded by AIPerf's PromptConfig and PrefixPromptConfig.
  assert.deepEqual(dataset?.["prompts"], {
    "isl": { "mean": 550, "stddev": 0 },
    "sequence_distribution": [
      { "isl": { "mean": 40, "stddev": 0 }, "osl": { "mean": 3, "stddev": 0 }, "probability": 50 },
      { "isl": { "mean": 90, "stddev": 3 }, "osl": { "mean": 5, "stddev": 0 }, "probability": 50 },
    ],
    "corpus": "coding",
    "batch_size": 2,
    "cache_bust": { "target": "first_turn_prefix" },
  });
  assert.deepEqual(dataset?.["prefix_prompts"], {
    "shared_system_length": 9,
    "user_context_length": 3,
  });
  const own = ownConfig(
    await planOf({ systemPrompt: "Hi", isl: 100, osl: 10, randomRangeRatio: "0.5" }),
  );
  assert.deepEqual(own["input_tokens_range"], [50, 150]);
  assert.deepEqual(own["output_tokens_range"], [5, 15]);
  assert.equal(own["system_prompt"], "Hi");
});
