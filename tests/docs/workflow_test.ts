/** The example workflow of gates: its form, and its commands as a runner gives them to a shell. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";

import { NO_FLUSH, runCli } from "../support/run_cli.ts";

interface Step {
  readonly name: string;
  readonly run?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

const text = await Deno.readTextFile(
  new URL("../../docs/examples/gate_workflow.yml", import.meta.url),
);
const workflow = parse(text) as {
  readonly on: string;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
};
const steps = workflow.jobs["gate"]?.steps ?? [];
const commands = steps.flatMap(({ run }) => run === undefined ? [] : [run]);

/** The words of a command as a shell reads them. */
function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

Deno.test("gate_workflow.yml is a workflow of steps that run or use something", () => {
  assert.equal(workflow.on, "pull_request");
  assert.equal(commands.length, 3);
  for (const step of steps) {
    assert.equal(typeof step.name, "string");
    assert.ok((step.run === undefined) !== (step.uses === undefined), step.name);
  }
  // What comes after a missed gate is shown and kept all the same.
  for (const step of steps.slice(2)) assert.match(step.if ?? "", /!cancelled\(\)/);
  // A folded command is one line: nothing of it stands alone on the next.
  for (const command of commands) assert.doesNotMatch(command.trim(), /\n/);
});

for (
  const { name, ttft, codes } of [
    { name: "like the main branch", ttft: "5", codes: [[0], [0, 3], [0, 3]] },
    { name: "slower than it may be", ttft: "700", codes: [[0], [3], [3]] },
  ]
) {
  Deno.test(`gate_workflow.yml measures a change that is ${name}, and leaves what it keeps`, () =>
    withFolder(async (folder) => {
      using baseline = await startLocalMock(["--ttft", "5", "--itl", "1"]);
      using candidate = await startLocalMock(["--ttft", ttft, "--itl", "1"]);
      const summary = `${folder}/summary.md`;
      await Deno.writeTextFile(summary, "");
      for (const [index, command] of commands.entries()) {
        const [program, ...args] = words(
          command.replace("http://baseline:8000", baseline.url)
            .replace("http://candidate:8000", candidate.url)
            .replace("--request-count 1000", "--request-count 160")
            .replace("--warmup-request-count 50", "--warmup-request-count 4")
            .replace("--isl 512 --osl 128", "--isl 32 --osl 8"),
        );
        assert.equal(program, "inferometer");
        const env = { ...NO_FLUSH, "GITHUB_STEP_SUMMARY": summary };
        const { code, stdout, stderr } = await runCli(args, { cwd: folder, env });
        assert.ok(codes[index]?.includes(code), `${command}: ${code}\n${stdout}${stderr}`);
      }
      const gate = JSON.parse(await Deno.readTextFile(`${folder}/results/gate/gate.json`));
      assert.deepEqual(
        new Set(gate.gates.map(({ kind }: { kind: string }) => kind)),
        new Set(["regression"]),
      );
      const markdown = await Deno.readTextFile(summary);
      assert.match(markdown, /ttft\.p99/);
      const kept = steps.find(({ uses }) => uses !== undefined)?.with?.["path"] as string;
      assert.ok((await Deno.stat(`${folder}/${kept}change/report.html`)).isFile);
    }));
}
