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
    title: "as little as a run needs",
    body: `${SERVER}concurrency: 8
request-count: 100
isl: 512
osl: 128
`,
  },
  {
    name: "latency_test",
    title: "latency of one user, without a queue",
    body: `${SERVER}concurrency: 1
warmup-request-count: 5
request-count: 100
isl: 512
osl: 128
`,
  },
  {
    name: "warmup_profiling",
    title: "a measurement of two minutes after a warm-up",
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
    title: "an hour at one load, with metrics per minute",
    body: `${SERVER}concurrency: 32
concurrency-ramp-duration: 1m
benchmark-duration: 1h
benchmark-grace-period: 2m
slice-duration: 60
# Ends as soon as more than every twentieth request fails.
max-error-rate: 0.05
isl: 1024
osl: 256
`,
  },
  {
    name: "ramping",
    title: "load that grows until it is full",
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
    title: "a rate that follows a day, in some minutes",
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
    title: "chats: each turn carries what was said before",
    body: `${SERVER}# Users at a time; each keeps its place until its last turn.
concurrency: 8
num-sessions: 100
session-turns-mean: 5
session-turns-stddev: 2
# Milliseconds that a user thinks.
session-turn-delay-mean: 1000
session-turn-delay-stddev: 300
connection-reuse-strategy: sticky-user-sessions
isl: 200
osl: 150
`,
  },
  {
    name: "user_centric",
    title: "users who take turns at an even rate, to see what a prefix cache keeps",
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
    title: "prompts with a common beginning, and an empty prefix cache at the start",
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
    title: "short questions and long documents together",
    body: `${SERVER}concurrency: 16
request-count: 400
# ISL|deviation,OSL|deviation:percent
seq-dist: "128|20,128|20:60;2048|200,256:30;8192,512:10"
`,
  },
  {
    name: "long_context",
    title: "long prompts, few of which are read at once",
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
    title: "a recorded trace at its own times",
    body:
      `${SERVER}# One JSON object a line: {"timestamp": 0, "input_length": 300, "output_length": 50}
input-file: \${TRACE:trace.jsonl}
custom-dataset-type: mooncake-trace
fixed-schedule: true
# 2 sends twice as fast.
synthesis-speedup-ratio: 1
`,
  },
  {
    name: "request_cancellation",
    title: "users who go away before they have their reply",
    body: `${SERVER}concurrency: 16
request-count: 200
# Percent, and seconds after the request was sent.
request-cancellation-rate: 10
request-cancellation-delay: 0.5
isl: 512
osl: 256
`,
  },
  {
    name: "goodput_slo",
    title: "how many requests are good, and a gate for CI",
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
    title: "throughput against latency: a run for each point of a grid",
    body: `${SERVER}concurrency: [1, 2, 4, 8, 16, 32]
isl: [128, 1024]
osl: 128
# grid takes every value with every other, zip the first with the first.
sweep-type: grid
benchmark-duration: 60s
warmup-request-count: 10
reset-prefix-cache: true
`,
  },
  {
    name: "repeated_runs",
    title: "the same five times, with confidence intervals",
    body: `${SERVER}concurrency: 16
benchmark-duration: 60s
isl: 512
osl: 128
num-profile-runs: 5
profile-run-cooldown-seconds: 10
vary-seed-per-trial: true
# Ends earlier when the runs agree.
convergence-metric: time_to_first_token
convergence-stat: p99
`,
  },
  {
    name: "capacity_search",
    title: "the largest load that meets objectives",
    body: `${SERVER}search: max-concurrency
slo: [ttft.p99<500ms, itl.p99<30ms, error_rate<1%]
concurrency-max: 256
isl: 512
osl: 128
`,
  },
  {
    name: "multi_url_load_balancing",
    title: "several servers in turn",
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
    title: "what differs between places comes from the environment",
    body:
      `# \${NAME} has to be set, \${NAME:default} need not. The executable sees no variables but its own:
# there NAME is set as INFEROMETER_VAR_NAME.
url: \${INFERENCE_URL:http://localhost:8000}
endpoint-type: \${ENDPOINT_TYPE:chat}
streaming: true
# The key itself is better kept out of files: INFEROMETER_API_KEY
concurrency: \${CONCURRENCY:8}
request-count: \${REQUESTS:100}
isl: 512
osl: 128
tag: ["site=\${SITE:test}"]
`,
  },
  {
    name: "jinja2_variables",
    title: "values that are computed from others",
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
      title: "the most common options, commented out, with what each does",
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
