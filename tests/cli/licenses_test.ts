import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sourceFiles } from "../../scripts/compile/source_files.ts";
import { runCli } from "../support/run_cli.ts";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

Deno.test("version --licenses prints the license of every package in the program", async () => {
  const { code, stdout } = await runCli(["version", "--licenses"]);
  assert.equal(code, 0);
  const packages = new Set<string>();
  for (const path of await sourceFiles(SOURCES)) {
    const text = await Deno.readTextFile(path);
    for (const [, name, version] of text.matchAll(/"npm:(@?[^@"]+)@([\d.]+)/g)) {
      if (!name?.startsWith("@types/")) packages.add(`${name} ${version}`);
    }
  }
  assert.ok(packages.size >= 20);
  // Packages that others need.
  for (const name of ["fzstd", "hysnappy", "iobuffer"]) {
    assert.match(stdout, RegExp(`^${name} `, "m"));
  }
  for (const name of packages) assert.ok(stdout.includes(`\n${name}\n`), name);
  for (const holder of [/Copyright .*Deno authors/, /Bitstream, Inc/, /OpenAI/, /Mozilla Public/]) {
    assert.match(stdout, holder);
  }
  const chapters = stdout.split(/^-{80}$/m).slice(1);
  for (const chapter of chapters) assert.match(chapter, /\n\nLicense: \S+\n\n[^]{100,}$/);
});
