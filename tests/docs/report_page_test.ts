/** The commands of `docs/report.md`, and the names that it gives. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runCli } from "../support/run_cli.ts";

const page = await Deno.readTextFile(new URL("../../docs/report.md", import.meta.url));
const commands = [...page.matchAll(/^inferometer (.*)$/gm)].map(([, args]) =>
  (args as string).split(" ")
);

Deno.test("every command of the report's page does what it says", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "2", "--itl", "0.1"]);
    const run = await runCli([
      ...["profile", "--url", mock.url, "--streaming", "--request-count", "4", "--osl", "4"],
      ...["--artifact-dir", `${folder}/artifacts/my-run`, "--server-metrics-flush-period", "0"],
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(commands.length, 4);
    for (const args of commands) {
      // No desktop: nothing is opened by a test.
      const { code, stderr } = await runCli(args, { cwd: folder, env: { "PATH": folder } });
      assert.equal(code, 0, stderr);
    }
    const files = await Array.fromAsync(Deno.readDir(`${folder}/artifacts/my-run/plots`));
    const plots = files.map(({ name }) => name).filter((name) => name.endsWith(".svg"));
    assert.equal(plots.length * 2, files.length, "a PNG for each");
    const section = page.slice(page.indexOf("## Charts as files"));
    const patterns = [...section.matchAll(/`([\w*-]+\.svg)`/g)].map(([, pattern]) =>
      new RegExp(`^${(pattern as string).replace(".", "\\.").replace("*", ".*")}$`)
    );
    assert.equal(patterns.length, 6);
    for (const name of plots) assert.ok(patterns.some((pattern) => pattern.test(name)), name);
    for (const pattern of patterns.filter((pattern) => !pattern.test("errors.svg"))) {
      assert.ok(plots.some((name) => pattern.test(name)), `${pattern}`);
    }
  }));
