// deno-lint-ignore-file no-console
/**
 * Shows how the threads of a run are confined, as JSON: `main.ts [--control] --url URL
 * --metrics-url URL --artifact-dir DIR ATTEMPT...`, each attempt as `kind=argument`.
 *
 * Tests run it from source, and as an executable that is compiled as the product's is: with the same
 * bundler, the same flags and the same functions that confine threads.
 */

import { parseArgs } from "node:util";
import { probeMain, probeThreads } from "./confinement_probe.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "control": { type: "boolean", default: false },
    "url": { type: "string", default: "http://localhost:8000" },
    "metrics-url": { type: "string", default: "http://localhost:8000" },
    "artifact-dir": { type: "string", default: "." },
  },
});
const { url, "metrics-url": metricsUrl, "artifact-dir": artifactDir } = values;
const outcomes = values.control
  ? await probeMain(positionals)
  : await probeThreads({ url, metricsUrl, artifactDir }, positionals);
console.log(JSON.stringify(outcomes, undefined, 2));
// Threads that were refused something may still wait for it.
Deno.exit(0);
