/** The pages of the site in their order. */

/** A page: what it is called in the sidebar, and its file in `docs/`. */
export type Page = readonly [label: string, file: string];

/** A group of the sidebar. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Every group; a page whose file does not exist is left out. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  {
    title: "Start",
    pages: [
      ["Quick start", "quick_start.md"],
      ["How to", "how_to.md"],
      ["Commands", "commands.md"],
      ["Examples", "examples/README.md"],
      ["Install", "install.md"],
      ["Coming from other tools", "coming_from.md"],
      ["Troubleshooting", "troubleshooting.md"],
    ],
  },
  {
    title: "Load",
    pages: [
      ["Load shapes", "load_shapes.md"],
      ["Sessions", "sessions.md"],
      ["Benchmark agents", "agents.md"],
      ["Prompts", "prompts.md"],
      ["Datasets", "datasets.md"],
      ["Sweeps", "sweeps.md"],
      ["Capacity search", "search.md"],
      ["Several machines", "scaling.md"],
    ],
  },
  {
    title: "Servers",
    pages: [
      ["Servers", "servers.md"],
      ["Endpoint types", "endpoints.md"],
      ["Server metrics", "server_metrics.md"],
      ["Server roles", "server_roles.md"],
      ["GPU telemetry", "gpu.md"],
    ],
  },
  {
    title: "Results",
    pages: [
      ["Report", "report.md"],
      ["Gates", "gates.md"],
      ["Compare", "compare.md"],
      ["Check answers", "answers.md"],
      ["Live", "live.md"],
      ["Track runs", "runs.md"],
      ["Integrations", "integrations.md"],
      ["Exchange", "exchange.md"],
    ],
  },
  {
    title: "Trust",
    pages: [
      ["Publish numbers", "publishing.md"],
      ["Accuracy", "accuracy.md"],
      ["Client error bounds", "client_error.md"],
      ["Client comparison", "client_comparison.md"],
      ["Histogram percentiles", "histograms.md"],
      ["Performance", "performance.md"],
      ["Limits", "limits.md"],
      ["Security", "security.md"],
      ["Secrets", "secrets.md"],
    ],
  },
  {
    title: "Reference",
    pages: [
      ["Options", "options.md"],
      ["Metrics", "metrics.md"],
      ["Files", "files.md"],
      ["Glossary", "glossary.md"],
      ["Library", "library.md"],
      ["Packages", "packages.md"],
      ["Design", "design.md"],
      ["Contributing", "CONTRIBUTING.md"],
    ],
  },
];
