/** What shells offer: the protocol, and a real bash, which has nothing else installed. */

import assert from "node:assert/strict";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { completionOf } from "../../../src/cli/command_line/completion.ts";
import { flagOf, specsOf } from "../../../src/config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";
import { withFolder } from "../../support/artifacts.ts";
import { cliCommand, runCli } from "../../support/run_cli.ts";

async function offered(...words: string[]): Promise<[words: string[], files: string]> {
  const { words: found, files } = await completionOf(words, COMMANDS);
  return [found.map(([word]) => word), files];
}

Deno.test("completionOf offers commands, options, choices, files and folders where they belong", async () => {
  const names = COMMANDS.map(({ name }) => name);
  assert.deepEqual(await offered("pro"), [names, "none"]);
  const [flags] = await offered("profile", "--");
  for (const { name, hidden } of specsOf(PROFILE_COMMAND_OPTIONS)) {
    assert.equal(flags.includes(flagOf(name)), !hidden, name);
  }
  for (const spec of specsOf(PROFILE_COMMAND_OPTIONS)) {
    if (spec.kind === "flag") continue;
    const wanted = [spec.choices ?? spec.suggestions ?? [], spec.completes ?? "none"];
    assert.deepEqual(await offered("profile", flagOf(spec.name), ""), wanted, spec.name);
  }
  assert.deepEqual(await offered("profile", "--ui=n"), [
    ["--ui=auto", "--ui=simple", "--ui=dashboard", "--ui=none"],
    "none",
  ]);
  assert.deepEqual(await offered("profile", "-f", "r"), [[], "file"]);
  assert.deepEqual(await offered("profile", "--output-artifact-dir", ""), [[], "folder"]);
  const formats = ["json", "csv", "parquet", "jsonl"];
  assert.deepEqual(await offered("profile", "--server-metrics-formats", "csv", "j"), [
    formats,
    "none",
  ]);
  assert.deepEqual(await offered("profile", "--ui", "none", ""), [[], "none"]);
  assert.deepEqual(await offered("report", ""), [[], "folder"]);
  assert.deepEqual(await offered("replay", ""), [[], "file"]);
  assert.deepEqual(await offered("config", ""), [[
    ...["init", "validate", "expand", "print"],
  ], "none"]);
  const [templates] = await offered("config", "init", "");
  assert.ok(templates.includes("concurrency_sweep"), String(templates));
  assert.deepEqual(await offered("config", "expand", ""), [[], "file"]);
  assert.ok((await offered("schema", ""))[0].includes("config.yaml"));
  assert.deepEqual(await offered("nothing", ""), [[], "none"]);
});

Deno.test("complete prints a script for each shell, and refuses another one", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout, stderr } = await runCli(["complete", shell]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /inferometer complete/);
  }
  const { code, stderr } = await runCli(["complete", "tcsh"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: SHELL: Must be one of bash, zsh, fish, powershell: got "tcsh"\n$/);
});

/** Gives a command a terminal of its own; there on nearly every Linux. */
const SCRIPT = "/usr/bin/script";
const canRun = await Deno.stat(SCRIPT).then(({ isFile }) => isFile, () => false) &&
  Deno.build.os === "linux";

/** Types lines into a bash that has read the completion script twice; what was run in the end. */
async function typed(folder: string, lines: readonly string[]): Promise<string[]> {
  const [command, args] = cliCommand([]);
  const program = [command, ...args].map((word) => `'${word}'`).join(" ");
  // Completes as the program does, and else says what it was given.
  await Deno.writeTextFile(
    `${folder}/inferometer`,
    `#!/bin/sh\n[ "$1" = complete ] && exec ${program} "$@"\nprintf 'ran'; printf '<%s>' "$@"; echo\n`,
    { mode: 0o755 },
  );
  const child = new Deno.Command(SCRIPT, {
    args: ["-qec", "bash --norc --noprofile -i", "/dev/null"],
    cwd: folder,
    env: { "PATH": `${folder}:${Deno.env.get("PATH") ?? ""}`, "TERM": "dumb" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const script = "set -u; source <(inferometer complete bash)";
  await writer.write(
    new TextEncoder().encode([script, script, ...lines, "exit", ""].join("\n")),
  );
  await writer.close();
  const { stdout } = await child.output();
  return [...new TextDecoder().decode(stdout).matchAll(/^ran(.*)$/gm)].map(([, ran]) =>
    (ran as string).trim()
  );
}

Deno.test(
  "a bash completes commands, options, values and names of files",
  { ignore: !canRun },
  () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/results`);
      for (const name of ["run.yaml", "my own.yaml"]) {
        await Deno.writeTextFile(`${folder}/${name}`, "");
      }
      assert.deepEqual(
        await typed(folder, [
          "inferometer prof\t--ui sim\t--request-cou\t4 --ui=no\t",
          "inferometer profile --config ru\t--url http://127.0.0.1:8000 --stream\t",
          "inferometer profile --config my\t--artifact-dir res\t",
          "inferometer report res\t",
          "inferometer schema conf\t",
          "inferometer profile --isl run\t",
        ]),
        [
          "<profile><--ui><simple><--request-count><4><--ui=none>",
          "<profile><--config><run.yaml><--url><http://127.0.0.1:8000><--streaming>",
          "<profile><--config><my own.yaml><--artifact-dir><results/>",
          "<report><results/>",
          "<schema><config.yaml>",
          "<profile><--isl><run>",
        ],
      );
    }),
);
