/** What a run shows on a terminal: a real one, of 80 and of 200 columns. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { displayWidth } from "../../src/report/console/display_width.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { cliCommand } from "../support/run_cli.ts";

/** Gives a command a terminal of its own; there on nearly every Linux. */
const SCRIPT = "/usr/bin/script";

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

const canRun = Deno.build.os === "linux" && await isFile(SCRIPT);

/** What a run writes on a terminal of so many columns. */
async function shownOnTerminal(
  url: string,
  folder: string,
  columns: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [command, commandArgs] = cliCommand([
    ...["profile", "--url", url, "--model", "m", "--streaming", "--artifact-dir", folder],
    ...["--isl", "10", "--osl", "4", "--concurrency", "2", "--overwrite"],
    ...["--server-metrics-flush-period", "0", ...args],
  ]);
  const quoted = [command, ...commandArgs].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`);
  const { code, stdout } = await new Deno.Command(SCRIPT, {
    args: ["-qec", `stty cols ${columns} rows 40; ${quoted.join(" ")}`, "/dev/null"],
    stdin: "null",
    env: { "NO_COLOR": "", "TERM": "xterm", ...env },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text);
  return text;
}

/** What each style of the report shows: a metric, a failure, a title in bold. */
const STYLES = {
  "compact": [
    /^TTFT +(?:ms )?/m,
    /^errors {2}.* {2}http_status {2}429 /m,
    // deno-lint-ignore no-control-regex
    /\x1b\[1m\S+ on .+, http:\/\/127/,
  ],
  "full": [/Time to First Token/, /429 +│ http_status/, "\x1b[1minferometer | LLM Metrics"],
} as const;

const SCREENS = Object.entries(STYLES).flatMap(([style, patterns]) =>
  [80, 200].map((columns) => ({ style, patterns, columns }))
);

for (const { style, patterns, columns } of SCREENS) {
  Deno.test(
    `a ${style} report fits a terminal of ${columns} columns`,
    { ignore: !canRun },
    () =>
      withMock({
        ttft: latencyDistribution("10"),
        itl: latencyDistribution("2"),
        faults: new Map([["429", 0.3]]),
      }, ({ url }) =>
        withFolder(async (folder) => {
          const args = ["--request-count", "20", "--show-trace-timing", "--console", style];
          const shown = await shownOnTerminal(url, folder, columns, args);
          assert.match(shown, /20 of 20 requests/, "the progress line is there");
          for (const pattern of patterns) {
            const isThere = typeof pattern === "string"
              ? shown.includes(pattern)
              : pattern.test(shown);
            assert.ok(isThere, `${pattern} is not in ${shown}`);
          }
          // deno-lint-ignore no-control-regex
          const lines = shown.replace(/\x1b\[[\d;]*[A-Za-z]/g, "").split(/[\r\n]+/);
          for (const line of lines) {
            assert.ok(displayWidth(line) <= columns, `${displayWidth(line)} columns: ${line}`);
          }
        })),
  );
}

Deno.test(
  "profile leaves colours out if NO_COLOR is set",
  { ignore: !canRun },
  () =>
    withMock({}, ({ url }) =>
      withFolder(async (folder) => {
        const args = ["--request-count", "4", "--ui", "none"];
        const plain = await shownOnTerminal(url, folder, 100, args, { "NO_COLOR": "1" });
        assert.match(plain, /^TTFT +ms /m);
        assert.ok(!plain.includes("\x1b"), JSON.stringify(plain.slice(0, 300)));
        const coloured = await shownOnTerminal(url, folder, 100, args);
        assert.ok(coloured.includes("\x1b[1m"));
      })),
);

for (const [name, env] of [["dumb", { "TERM": "dumb" }], ["not set", { "TERM": "" }]] as const) {
  Deno.test(
    `a terminal whose TERM is ${name} gets no control codes, and progress as lines`,
    { ignore: !canRun },
    () =>
      withMock(
        { ttft: latencyDistribution("10"), itl: latencyDistribution("2") },
        ({ url }) =>
          withFolder(async (folder) => {
            for (const ui of ["auto", "dashboard"]) {
              const args = ["--request-count", "8", "--ui", ui, "--server-metrics", url];
              const shown = await shownOnTerminal(url, folder, 100, args, env);
              assert.match(shown, / of 8 requests {2}/, "progress is shown");
              assert.match(shown, /^TTFT +ms /m);
              // deno-lint-ignore no-control-regex
              assert.doesNotMatch(shown.replaceAll("\r\n", "\n"), /[\x1b\r\x08]/);
            }
          }),
      ),
  );
}
