import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { executableName, TARGETS, targetsOf } from "../../scripts/compile/targets.ts";
import { archiveName, archiveNames, parseChecksums } from "../../scripts/release/assets.ts";
import { changelogNotes, newestVersion } from "../../scripts/release/changelog_notes.ts";
import { checkContainerfile } from "../../scripts/release/check_containerfile.ts";
import { checkWorkflow } from "../../scripts/release/check_workflow.ts";
import { homebrewFormula } from "../../scripts/release/homebrew_formula.ts";
import { packageRelease } from "../../scripts/release/package_release.ts";
import { withFolder } from "../support/artifacts.ts";

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

const readRoot = (path: string): Promise<string> =>
  Deno.readTextFile(new URL(`../../${path}`, import.meta.url));

Deno.test("changelogNotes gives the section of a version, with its subsections", () => {
  assert.equal(changelogNotes(CHANGELOG, "1.2.0"), "- New.\n\n### Fixed\n\n- Old.");
  assert.equal(changelogNotes(CHANGELOG, "1.1.0"), "- First.");
  assert.equal(changelogNotes(CHANGELOG, "1.3.0"), undefined);
  assert.equal(newestVersion(CHANGELOG), "1.2.0");
  assert.equal(newestVersion("# Changelog\n\n## Unreleased\n"), undefined);
});

Deno.test("packageRelease packs every system's program, with checksums that are true", async () => {
  await withFolder(async (folder) => {
    for (const target of TARGETS) {
      await Deno.writeTextFile(`${folder}/${executableName("1.2.0", target)}`, target.name);
    }
    const pack = () =>
      packageRelease({
        folder,
        repository: "owner/name",
        version: "1.2.0",
        epochSeconds: 1_700_000_000,
        targets: TARGETS,
        readme: new TextEncoder().encode("readme\n"),
        license: new TextEncoder().encode("license\n"),
        changelog: CHANGELOG,
      });
    const made = await pack();
    const sums = await Deno.readTextFile(`${folder}/SHA256SUMS`);
    const checksums = parseChecksums(sums);
    assert.deepEqual([...checksums.keys()].sort(), archiveNames("1.2.0").sort());
    for (const [name, expected] of checksums) {
      const bytes = await Deno.readFile(`${folder}/${name}`);
      assert.equal(createHash("sha256").update(bytes).digest("hex"), expected);
    }
    const formula = await Deno.readTextFile(`${folder}/inferometer.rb`);
    const [linux] = targetsOf(["linux-arm64"]);
    const name = archiveName("1.2.0", linux as typeof TARGETS[0]);
    assert.match(
      formula,
      new RegExp(`on_arm do\n +url ".*/v1\\.2\\.0/${name}"\n +sha256 "${checksums.get(name)}"`),
    );
    assert.equal(await Deno.readTextFile(`${folder}/NOTES.md`), "- New.\n\n### Fixed\n\n- Old.\n");
    assert.equal(await Deno.readTextFile(`${folder}/inferometer-linux-amd64`), "linux-x64");
    assert.equal(await Deno.readTextFile(`${folder}/inferometer-linux-arm64`), "linux-arm64");
    assert.deepEqual(await pack(), made);
    assert.equal(
      await Deno.readTextFile(`${folder}/SHA256SUMS`),
      sums,
      "another time, other bytes",
    );
  });
});

Deno.test("homebrewFormula asks for every checksum", () => {
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

Deno.test("checkContainerfile finds what makes an image unsafe or empty", async () => {
  const good = await readRoot("scripts/release/Containerfile");
  assert.deepEqual(checkContainerfile(good), []);
  const broken: readonly (readonly [RegExp, string, RegExp])[] = [
    [/USER nonroot/, "USER root", /runs as root/],
    [/USER nonroot/, "", /runs as root/],
    [/CMD \["--help"\]/, "CMD --help", /CMD is no list/],
    [/ARG TARGETARCH/, "", /no TARGETARCH/],
    [/inferometer-linux-\$\{TARGETARCH\}/, "inferometer", /copies inferometer$/],
    [/WORKDIR/, "RUN apt-get update\nWORKDIR", /unexpected "RUN apt-get update"/],
  ];
  for (const [from, to, problem] of broken) {
    assert.match(checkContainerfile(good.replace(from, to)).join("\n"), problem);
  }
});
