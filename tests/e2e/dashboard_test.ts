// deno-lint-ignore-file no-console
/** The full-screen view of a run, in a real terminal: what it shows, its keys, and what it leaves. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { displayWidth } from "../../src/report/console/display_width.ts";
import { withFolder } from "../support/artifacts.ts";
import { type LocalMock, withMock } from "../support/local_mock.ts";
import { hasTmux, TmuxWindow } from "../support/tmux.ts";
import { scriptedServer } from "../support/scripted_server.ts";
import { until } from "../support/until.ts";
import { runCli } from "../support/run_cli.ts";

const ignore = !hasTmux();
if (ignore) console.warn("The dashboard is not tested: there is no tmux here");

/** A run that goes on until it is ended. */
const ENDLESS = ["--request-count", "10000000", "--osl", "4", "--isl", "10", "--streaming"];

function profileArgs(url: string, folder: string, args: readonly string[] = []): string[] {
  return [
    ...["profile", "--url", url, "--model", "m", "--ui", "dashboard", "--artifact-dir", folder],
    ...["--concurrency", "4", "--server-metrics-flush-period", "0", "--no-report"],
    ...["--server-metrics-interval", "0.2", ...ENDLESS, ...args],
  ];
}

async function withRun(
  size: readonly [columns: number, rows: number],
  test: (terminal: TmuxWindow, folder: string, mock: LocalMock) => Promise<void>,
  args: readonly string[] = [],
  shell?: string[],
): Promise<void> {
  const options = { ttft: latencyDistribution("20"), faults: new Map([["429", 0.1] as const]) };
  await withMock(options, (mock) =>
    withFolder(async (folder) => {
      await using terminal = await TmuxWindow.open(...size, shell);
      const out = `${folder}/run`;
      await terminal.runCli(profileArgs(mock.url, out, args));
      await test(terminal, out, mock);
    }));
}

/** The terminal is as it was: its own screen, a cursor, lines that wrap, keys that show. */
async function assertClean(terminal: TmuxWindow, isPlainShell = true): Promise<void> {
  const { isAlternate, hasCursor, wraps, settings } = await terminal.state();
  assert.deepEqual({ isAlternate, hasCursor, wraps }, {
    isAlternate: false,
    hasCursor: true,
    wraps: true,
  });
  if (!isPlainShell) return;
  assert.match(settings, /(^|\s)icanon\b/);
  assert.match(settings, /(^|\s)echo\b/);
}

async function runJson(folder: string) {
  return JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`));
}

for (const [columns, rows] of [[80, 24], [200, 50]] as const) {
  Deno.test(`the dashboard shows every block on ${columns}x${rows}, and ends with q`, {
    ignore,
  }, () =>
    withRun([columns, rows], async (terminal, folder) => {
      await terminal.until(/ok [1-9]\d*/);
      await terminal.until(/read delay p50/);
      const screen = await terminal.until(/running .*[▁-█][^]*http_status 429/);
      const patterns = [
        /^inferometer {2}127\.0\.0\.1:\d+ {2}m +\d+ of \d+/,
        /requests\/s +[\d.]+/,
        /tokens\/s +[\d,]+/,
        /TTFT ms +p50 +[\d.]+/,
        /ITL ms +p50 /,
        /in flight \d \/ 4 {3}ok [\d,]+ {3}failed [\d,]+/,
        /─ server vLLM ─/,
        /waiting 0/,
        /─ load workers ─+/,
        /\d in flight, [\d,]+ chunks\/s/,
        /─ errors ─/,
        /─ client ─/,
        /read delay p50/,
        /CPU [\d.]+ % of \d+ cores/,
      ];
      for (const pattern of patterns) assert.match(screen, pattern);
      const lines = screen.split("\n");
      assert.match(lines[rows - 1] as string, /\[\+\/-\] concurrency {2}\[p\] pause/);
      for (const line of lines) assert.ok(displayWidth(line) <= columns, line);
      await terminal.press("q");
      await terminal.until(/EXIT 130/);
      assert.match(await terminal.history(), /interrupted/, "what was said meanwhile stays");
      await assertClean(terminal);
      assert.equal((await runJson(folder)).summary.wasCancelled, true);
    }));
}

Deno.test(
  "the dashboard draws itself anew in a window of another size",
  { ignore },
  () =>
    withRun([80, 24], async (terminal) => {
      await terminal.until(/ok [1-9]/);
      await terminal.resize(160, 40);
      await terminal.until(/^inferometer .{100,}\n(.*\n){38}\[\+\/-\]/);
      await terminal.resize(60, 12);
      const small = await terminal.until(/^inferometer .*\n(.*\n){10}\[\+\/-\]/);
      for (const line of small.split("\n")) assert.ok(displayWidth(line) <= 60, line);
      await terminal.press("q");
      await terminal.until(/EXIT 130/);
      await assertClean(terminal);
    }),
);

Deno.test(
  "keys pause the load, change it and set marks, and every output tells",
  { ignore },
  () =>
    withRun([100, 30], async (terminal, folder, { stats }) => {
      await terminal.until(/ok [1-9]/);
      await terminal.press("+", "+");
      await terminal.until(/in flight 6 \/ 6/);
      await terminal.press("-");
      await terminal.until(/in flight \d \/ 5/);
      await terminal.press("p");
      await terminal.until(/PAUSED[^]*in flight 0 \/ 5[^]*\[p\] go on/);
      const { requests } = await stats();
      await terminal.press("m");
      await terminal.until(/mark 1, pause/);
      assert.equal((await stats()).requests, requests, "nothing new begins");
      assert.deepEqual(
        (await runJson(folder)).changes.map((
          { action, value }: { action: string; value?: number },
        ) => [action, value]),
        [
          ["concurrency", 5],
          ["concurrency", 6],
          ["concurrency", 5],
          ["pause", undefined],
          ["mark", 1],
        ],
        "a run that is killed now has it, too",
      );
      await terminal.press("p");
      await until("it goes on", async () => (await stats()).requests > requests);
      await terminal.press("q");
      await terminal.until(/EXIT 130/);
      const { notes } = JSON.parse(
        await Deno.readTextFile(`${folder}/profile_export_aiperf.json`),
      );
      const text = JSON.stringify(notes);
      assert.match(text, /The load was changed manually and deviates from the plan: 5 users/);
      assert.match(text, /paused at [\d.]+ s, resumed at/);
      assert.match(text, /Manual markers: 1 at/);
      const summary = await Deno.readTextFile(`${folder}/profile_export_aiperf.json`);
      assert.equal((await runCli(["report", folder])).code, 0);
      assert.equal(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`), summary);
    }),
);

Deno.test("keys change the rate of arrivals, and pause them", { ignore }, () =>
  withRun(
    [100, 30],
    async (terminal, folder, { stats }) => {
      await terminal.until(/ok [1-9]/);
      await terminal.press("+");
      await terminal.until(/of 22\/s/);
      await terminal.press("p");
      await terminal.until(/PAUSED[^]*in flight 0/);
      const { requests } = await stats();
      await terminal.press("m");
      await terminal.until(/mark 1/);
      assert.equal((await stats()).requests, requests);
      await terminal.press("p");
      await until("it goes on", async () => (await stats()).requests > requests);
      await terminal.press("q");
      await terminal.until(/EXIT 130/);
      const { changes } = await runJson(folder);
      assert.deepEqual(changes[0], { ...changes[0], action: "rate", value: 22 });
      const { send_slip: slip } = JSON.parse(
        await Deno.readTextFile(`${folder}/profile_export_aiperf.json`),
      );
      // A pause is none of the client's delay; it would be seconds here.
      assert.ok(slip === undefined || slip.p50 < 500, JSON.stringify(slip));
    },
    ["--request-rate", "20", "--concurrency", "50", "--arrival-pattern", "constant"],
  ));

const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 143]] as const;
for (const [signal, code] of SIGNALS) {
  Deno.test(
    `the dashboard leaves the terminal clean after ${signal}`,
    { ignore },
    () =>
      withRun([80, 24], async (terminal) => {
        await terminal.until(/ok [1-9]/);
        Deno.kill(await terminal.processId(), signal);
        await terminal.until(new RegExp(`EXIT ${code}`));
        await assertClean(terminal);
      }),
  );
}

Deno.test("the dashboard leaves the terminal clean when a second Ctrl-C ends the run at once", {
  ignore,
}, () =>
  withFolder(async (folder) => {
    using server = scriptedServer(() => new Promise(() => {}));
    await using terminal = await TmuxWindow.open(80, 24);
    await terminal.runCli(profileArgs(`http://127.0.0.1:${server.port}`, folder, [
      ...["--no-server-metrics", "--overwrite", "--wait-for-model-timeout", "0"],
    ]));
    await terminal.until(/in flight 4 \/ 4/);
    await terminal.press("C-c");
    await terminal.until(/interrupted/);
    // Sooner it counts as the echo of the first one.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await terminal.press("C-c");
    await terminal.until(/EXIT 130/);
    await assertClean(terminal);
  }));

Deno.test("the dashboard is drawn anew when a stopped process goes on, and Ctrl-Z stops nothing", {
  ignore,
}, () =>
  withRun(
    [80, 24],
    async (terminal) => {
      await terminal.until(/ok [1-9]/);
      await terminal.press("C-z");
      const id = await terminal.processId();
      Deno.kill(id, "SIGSTOP");
      await terminal.until(/Stopped/);
      await terminal.type("fg; echo AGAIN $?");
      await terminal.until(/\[p\] pause/);
      const before = Number(/ok ([\d,]+)/.exec(await terminal.screen())?.[1]?.replaceAll(",", ""));
      await terminal.until(new RegExp(`ok (?!${before}\\b)[\\d,]+`));
      await terminal.press("q");
      await terminal.until(/AGAIN 130/);
      await assertClean(terminal, false);
    },
    [],
    ["bash", "--norc", "--noprofile"],
  ));

Deno.test(
  "the dashboard leaves the terminal clean when the run fails",
  { ignore },
  () =>
    withMock({ ttft: latencyDistribution("20") }, ({ url }) =>
      withFolder(async (folder) => {
        await Deno.writeTextFile(`${folder}/prompts.jsonl`, "no JSON\n");
        await using terminal = await TmuxWindow.open(100, 24);
        const args = profileArgs(url, `${folder}/run`, [
          ...["--input-file", `${folder}/prompts.jsonl`, "--custom-dataset-type", "single_turn"],
        ]);
        const lengths = args.indexOf("--isl");
        await terminal.runCli(args.toSpliced(lengths, 2));
        const screen = await terminal.until(/EXIT 2/);
        assert.match(screen, /error: .*prompts\.jsonl/);
        await assertClean(terminal);
      })),
);

Deno.test("--ui dashboard shows lines where there is no terminal", () =>
  withMock({ ttft: latencyDistribution("5") }, ({ url }) =>
    withFolder(async (folder) => {
      const { code, stderr } = await runCli([
        ...profileArgs(url, folder, ["--overwrite"]),
        ...["--request-count", "20"],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^\d+ (?:of|done).*failed.*$/m);
      assert.ok(!stderr.includes("\x1b"), JSON.stringify(stderr));
    })));
