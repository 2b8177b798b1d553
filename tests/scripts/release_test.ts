import assert from "node:assert/strict";
import { TARGETS, targetsOf } from "../../scripts/compile/targets.ts";
import { archiveName, archiveNames, parseChecksums } from "../../scripts/release/assets.ts";
import { changelogNotes, newestVersion } from "../../scripts/release/changelog_notes.ts";
import { checkWorkflow } from "../../scripts/release/check_workflow.ts";
import { homebrewFormula } from "../../scripts/release/homebrew_formula.ts";

const CHANGELOG = `# Changelog

## [Unreleased]

- Next.

## [1.2.0] - 2026-11-21

- New.

### Fixed

- Old.

## 1.1.0

- First.
`;

Deno.test("changelogNotes gives the section of a version, with its subsections", () => {
  assert.equal(changelogNotes(CHANGELOG, "1.2.0"), "- New.\n\n### Fixed\n\n- Old.");
  assert.equal(changelogNotes(CHANGELOG, "1.1.0"), "- First.");
  assert.equal(changelogNotes(CHANGELOG, "1.3.0"), undefined);
  assert.equal(newestVersion(CHANGELOG), "1.2.0");
  assert.equal(newestVersion("# Changelog\n\n## Unreleased\n"), undefined);
});

Deno.test("homebrewFormula names each archive with its checksum, and asks for every one", () => {
  const checksums = new Map(archiveNames("1.2.0").map((name, at) => [name, String(at).repeat(64)]));
  const formula = homebrewFormula("owner/name", "1.2.0", checksums);
  const [linux] = targetsOf(["linux-arm64"]);
  const name = archiveName("1.2.0", linux as typeof TARGETS[0]);
  assert.match(
    formula,
    new RegExp(`on_arm do\n +url ".*/v1\\.2\\.0/${name}"\n +sha256 "${checksums.get(name)}"`),
  );
  assert.throws(() => homebrewFormula("o/n", "1.0.0", new Map()), /no checksum of inferometer-1/);
});

Deno.test("parseChecksums reads what sha256sum writes, and nothing else", () => {
  const sum = "a".repeat(64);
  assert.deepEqual(
    parseChecksums(`${sum}  x.zip\n${sum} *y\n`),
    new Map([["x.zip", sum], ["y", sum]]),
  );
  assert.throws(() => parseChecksums("abc  x.zip\n"), SyntaxError);
});

Deno.test("targetsOf takes names, triples and all", () => {
  assert.deepEqual(targetsOf(["all"]), TARGETS);
  assert.deepEqual(targetsOf(["x86_64-apple-darwin"]).map(({ name }) => name), ["macos-x64"]);
  assert.throws(() => targetsOf(["linux-riscv"]), /must be one of linux-x64, .* got "linux-riscv"/);
});

const GOOD = `permissions: {}
jobs:
  one:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@v4
      - run: deno task ok && deno run scripts/release_check.ts
  two:
    needs: one
    timeout-minutes: 5
    steps: []
`;

Deno.test("checkWorkflow finds what a workflow names and is not there", async () => {
  const check = (text: string) =>
    checkWorkflow(text, {
      tasks: new Set(["ok"]),
      exists: (path) => Promise.resolve(path === "scripts/release_check.ts"),
    });
  assert.deepEqual(await check(GOOD), []);
  const broken: readonly (readonly [string, string, RegExp])[] = [
    ["task ok", "task gate", /runs the task gate, which is none/],
    ["release_check.ts", "none.ts", /runs scripts\/none\.ts, which is not there/],
    ["checkout@v4", "checkout", /uses actions\/checkout without a version/],
    ["checkout@v4", "checkout@main", /uses actions\/checkout@main without a version/],
    ["needs: one", "needs: [one, three]", /needs three, which is no job/],
    ["permissions: {}", "", /does not say what it may do/],
    ["timeout-minutes: 5", "", /one has no timeout/],
    ["    needs: one", "\tneeds: one", /tab/i],
    [
      "needs: one",
      "strategy: { matrix: { include: [{ target: linux-x64 }] } }",
      /two is for linux-x64/,
    ],
  ];
  for (const [from, to, problem] of broken) {
    const problems = await check(GOOD.replace(from, to));
    assert.match(problems.join("\n"), problem, to);
  }
});
