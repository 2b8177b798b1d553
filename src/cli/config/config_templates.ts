/** The files that `inferometer config init` writes, by the names that AIPerf has for the same. */

import { nearest } from "../../config/options/nearest.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { configToStartFrom } from "./config_text.ts";

/** A configuration file to start from. */
export interface ConfigTemplate {
  readonly name: string;
  /** Purpose of the template, in a few words. */
  readonly title: string;
  /** Content of the file, from its second line onwards. */
  readonly body: string;
}

/** Template that is written where none is named. */
export const DEFAULT_TEMPLATE = "common_options";

/** Beginning of all templates for one server. */
const SERVER = `url: http://localhost:8000
streaming: true
`;

const WRITTEN: readonly ConfigTemplate[] = [
  {
    name: "minimal",
    title: "smallest complete run",
    body: `${SERVER}concurrency: 8
request-count: 100
isl: 512
osl: 128
`,
  },
  {
    name: "latency_test",
    title: "latency of a single user, without queueing",
    body: `${SERVER}concurrency: 1
warmup-request-count: 5
request-count: 100
isl: 512
osl: 128
`,
  },
  {
    name: "warmup_profiling",
    title: "two minutes of Poisson arrivals after a warm-up",
    body: `${SERVER}# Poisson arrivals: no request waits for another one.
request-rate: 10
benchmark-duration: 2m
benchmark-grace-period: 60s
# The warm-up has its own prompts, and no metric includes it.
warmup-concurrency: 4
warmup-duration: 20s
isl: 512
isl-stddev: 100
osl: 128
`,
  },
  {
    name: "time_based_soak",
    title: "soak test: one hour at constant load, metrics per minute",
    body: `${SERVER}concurrency: 32
concurrency-ramp-duration: 1m
benchmark-duration: 1h
benchmark-grace-period: 2m
slice-duration: 60
# The run ends early if more than 5 % of the requests fail.
max-error-rate: 0.05
isl: 1024
osl: 256
`,
  },
  {
    name: "ramping",
    title: "arrival rate that rises in six steps",
    body: `${SERVER}request-rate: 50
request-rate-ramp-duration: 60s
# linear, exponential or steps
ramp-shape: steps
ramp-steps: 6
benchmark-duration: 2m
isl: 256
osl: 64
`,
  },
  {
    name: "rate_series",
    title: "arrival rate that follows a given curve over time",
    body: `${SERVER}request-rate-series: >-
  [{"time_s": 0, "qps": 2}, {"time_s": 60, "qps": 20}, {"time_s": 120, "qps": 20},
  {"time_s": 180, "qps": 4}]
benchmark-duration: 3m
isl: 512
osl: 128
`,
  },
  {
    name: "multi_turn_conversation",
    title: "multi-turn chats with the history in every turn",
    body: `${SERVER}# Users at the same time; each keeps its slot until its last turn.
concurrency: 8
num-sessions: 100
session-turns-mean: 5
session-turns-stddev: 2
# Think time between turns, in milliseconds.
session-turn-delay-mean: 1000
session-turn-delay-stddev: 300
connection-reuse-strategy: sticky-user-sessions
isl: 200
osl: 150
`,
  },
  {
    name: "user_centric",
    title: "constant rate over many users, to measure prefix cache reuse",
    body: `${SERVER}user-centric-rate: 5
num-users: 30
session-turns-mean: 6
num-sessions: 60
shared-system-prompt-length: 1000
isl: 100
osl: 100
`,
  },
  {
    name: "kv_cache_test",
    title: "shared prefixes, starting with an empty prefix cache",
    body: `${SERVER}concurrency: 16
request-count: 500
# Each prompt begins with one of ten texts of 2,000 tokens.
num-prefix-prompts: 10
prefix-prompt-length: 2000
isl: 200
osl: 100
reset-prefix-cache: true
`,
  },
  {
    name: "mixed_lengths",
    title: "mix of short and long prompts",
    body: `${SERVER}concurrency: 16
request-count: 400
# ISL|deviation,OSL|deviation:percent
seq-dist: "128|20,128|20:60;2048|200,256:30;8192,512:10"
`,
  },
  {
    name: "long_context",
    title: "long prompts with limited concurrent prefill",
    body: `${SERVER}concurrency: 4
prefill-concurrency: 1
request-count: 40
request-timeout-seconds: 20m
isl: 32000
osl: 256
`,
  },
  {
    name: "trace_replay",
    title: "replay of a recorded trace at its own times",
    body:
      `${SERVER}# One JSON object per line: {"timestamp": 0, "input_length": 300, "output_length": 50}
input-file: \${TRACE:trace.jsonl}
custom-dataset-type: mooncake-trace
fixed-schedule: true
# 2 halves the times between requests.
synthesis-speedup-ratio: 1
`,
  },
  {
    name: "request_cancellation",
    title: "clients that cancel a part of the requests",
    body: `${SERVER}concurrency: 16
request-count: 200
# Percentage of requests, and seconds after sending.
request-cancellation-rate: 10
request-cancellation-delay: 0.5
isl: 512
osl: 256
`,
  },
  {
    name: "goodput_slo",
    title: "goodput, and objectives that fail a CI job",
    body: `${SERVER}request-rate: 10
request-count: 300
isl: 512
osl: 128
# Objectives of a request: requests that meet them are good.
goodput: "time_to_first_token:500 inter_token_latency:30"
# Objectives of the run: if one is missed, the exit code is 3.
slo:
  - ttft.p99<1s
  - itl.p99<50ms
  - error_rate<1%
`,
  },
  {
    name: "concurrency_sweep",
    title: "sweep: throughput against latency over a grid of loads",
    body: `${SERVER}concurrency: [1, 2, 4, 8, 16, 32]
isl: [128, 1024]
osl: 128
# grid combines every value with every other; zip pairs the first values, the second values, ...
sweep-type: grid
benchmark-duration: 60s
warmup-request-count: 10
reset-prefix-cache: true
`,
  },
  {
    name: "repeated_runs",
    title: "five repetitions, with confidence intervals over the runs",
    body: `${SERVER}concurrency: 16
benchmark-duration: 60s
isl: 512
osl: 128
num-profile-runs: 5
profile-run-cooldown-seconds: 10
vary-seed-per-trial: true
# Stops early once the confidence interval is narrow enough.
convergence-metric: time_to_first_token
convergence-stat: p99
`,
  },
  {
    name: "capacity_search",
    title: "capacity search: the largest load that meets all objectives",
    body: `${SERVER}search: max-concurrency
slo: [ttft.p99<500ms, itl.p99<30ms, error_rate<1%]
concurrency-max: 256
isl: 512
osl: 128
`,
  },
  {
    name: "multi_url_load_balancing",
    title: "several servers in round-robin order",
    body: `url:
  - \${NODE1:http://localhost:8000}
  - \${NODE2:http://localhost:8001}
streaming: true
concurrency: 32
request-count: 1000
# A session stays with its server.
session-turns-mean: 3
isl: 256
osl: 128
`,
  },
  {
    name: "env_var_production",
    title: "settings from environment variables",
    body:
      `# \${NAME} must be set; \${NAME:default} has a default. The executable reads only its own variables:
# set INFEROMETER_VAR_NAME for NAME.
url: \${INFERENCE_URL:http://localhost:8000}
endpoint-type: \${ENDPOINT_TYPE:chat}
streaming: true
# Keep the API key out of files: set INFEROMETER_API_KEY.
concurrency: \${CONCURRENCY:8}
request-count: \${REQUESTS:100}
isl: 512
osl: 128
tag: ["site=\${SITE:test}"]
`,
  },
  {
    name: "jinja2_variables",
    title: "variables and values computed from them",
    body: `variables:
  users: 16
  seconds: 120
  warmup_users: "{{ users // 2 }}"
${SERVER}concurrency: "{{ users }}"
warmup-concurrency: "{{ warmup_users }}"
warmup-request-count: "{{ users * 5 }}"
benchmark-duration: "{{ seconds }}"
concurrency-ramp-duration: "{{ seconds // 4 }}"
isl: 512
osl: 128
`,
  },
];

/** The templates, in the order in which they are listed. */
export function configTemplates(): readonly ConfigTemplate[] {
  return [
    {
      name: DEFAULT_TEMPLATE,
      title: "most used options, commented out, each with its help",
      body: configToStartFrom(PROFILE_COMMAND_OPTIONS),
    },
    ...WRITTEN,
  ];
}

/** A name with `-` or `_` between its words; undefined if there is no such template. */
export function configTemplate(name: string): ConfigTemplate | undefined {
  const spelt = name.toLowerCase().replaceAll("-", "_");
  return configTemplates().find((template) => template.name === spelt);
}

/** Error for a name that no template has. */
export function unknownTemplate(name: string): UsageError {
  const names = configTemplates().map(({ name }) => name);
  const meant = nearest(name.replaceAll("-", "_"), names);
  return new UsageError(
    "TEMPLATE",
    `There is no template "${name}"` +
      (meant === undefined ? "" : `, did you mean "${meant}"?`) +
      " (inferometer config init --list names all)",
  );
}

/** Text of the file that a template is written to. */
export function templateText({ name, title, body }: ConfigTemplate): string {
  return name === DEFAULT_TEMPLATE
    ? body
    : `# ${title[0]?.toUpperCase()}${title.slice(1)}: inferometer profile --config FILE\n${body}`;
}
