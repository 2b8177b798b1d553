/** A task of a user, and the groups of options that serve it. */
export interface HelpTask {
  /** Word after `--help` that lists only this task. */
  readonly topic: string;
  readonly title: string;
  readonly groups: readonly string[];
}

/** Tasks in the order in which `--help all` lists them; a test checks that each group has one. */
export const HELP_TASKS: readonly HelpTask[] = [
  { topic: "connect", title: "Connect to a server", groups: ["Endpoint", "Connection"] },
  {
    topic: "data",
    title: "Choose the input",
    groups: [
      ...["Input", "Prompts", "Images and audio", "Rankings", "Public datasets", "Traces"],
      "Sessions",
    ],
  },
  {
    topic: "shape",
    title: "Shape the load",
    groups: ["Load", "Load shape", "Warm-up", "Agent sessions"],
  },
  { topic: "evaluate", title: "Evaluate the results", groups: ["Metrics", "Expected replies"] },
  {
    topic: "monitor",
    title: "Monitor server, GPUs and network",
    groups: ["Server metrics", "GPU telemetry", "Network latency"],
  },
  {
    topic: "repeat",
    title: "Repeat, sweep, search and compare",
    groups: ["Many runs", "Capacity search", "Comparison"],
  },
  { topic: "distribute", title: "Distribute the load", groups: ["Several machines"] },
  {
    topic: "write",
    title: "Write, show and export results",
    groups: ["Output", "Interface", "Other systems"],
  },
  { topic: "aiperf", title: "Run AIPerf command lines", groups: ["AIPerf compatibility"] },
];
