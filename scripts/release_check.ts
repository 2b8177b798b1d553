// deno-lint-ignore-file no-console
/**
 * Checks what a release depends on, as far as that can be seen before there is one:
 * `deno run --allow-read --allow-run --allow-env scripts/release_check.ts [--tag v1.2.3]`
 *
 * The versions are equal; the workflows are YAML, and what they run is there; the formula is what its
 * reader expects; dependencies are pinned; and the checksums in
 * `dist/`, if a release has been packed there, are those of its files.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  archiveNames,
  CHECKSUMS_NAME,
  DEFAULT_REPOSITORY,
  parseChecksums,
} from "./release/assets.ts";
import { changelogNotes, newestVersion } from "./release/changelog_notes.ts";
import { checkWorkflow, type WorkflowSurroundings } from "./release/check_workflow.ts";
import { homebrewFormula } from "./release/homebrew_formula.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const read = (path: string): Promise<string> => Deno.readTextFile(join(ROOT, path));

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(join(ROOT, path)).then(() => true, () => false);
}

/** The version in `deno.json`, the changelog and the tag. */
async function checkVersions(version: string, tag: string | undefined): Promise<string[]> {
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version)) {
    problems.push(`deno.json: "${version}" is no version`);
  }
  const changelog = await read("CHANGELOG.md").catch(() => undefined);
  if (changelog === undefined) return [...problems, "CHANGELOG.md is missing"];
  const newest = newestVersion(changelog);
  if (tag === undefined) {
    // What is to become the next version stands under its own heading until then.
    if (newest === version || /^## \[?Unreleased\b/m.test(changelog)) return problems;
    return [...problems, `CHANGELOG.md ends with ${newest}, deno.json says ${version}`];
  }
  if (tag !== `v${version}`) problems.push(`The tag is ${tag}, deno.json says ${version}`);
  if (newest !== version) problems.push(`CHANGELOG.md ends with ${newest}, the tag is ${tag}`);
  if (changelogNotes(changelog, version) === "") {
    problems.push(`CHANGELOG.md says nothing of ${version}`);
  }
  return problems;
}

async function checkWorkflows(tasks: ReadonlySet<string>): Promise<string[]> {
  const problems: string[] = [];
  const folder = join(ROOT, ".github/workflows");
  const surroundings: WorkflowSurroundings = { tasks, exists };
  for await (const { name } of Deno.readDir(folder)) {
    const found = await checkWorkflow(await read(`.github/workflows/${name}`), surroundings);
    problems.push(...found.map((problem) => `.github/workflows/${name}: ${problem}`));
  }
  return problems;
}

/** The formula as Ruby reads it, where there is a Ruby. */
async function checkFormula(version: string): Promise<string[]> {
  const checksums = new Map(archiveNames(version).map((name) => [name, "0".repeat(64)]));
  const formula = homebrewFormula(DEFAULT_REPOSITORY, version, checksums);
  const urls = [...formula.matchAll(/url "(.*)"/g)].map(([, url]) => url as string);
  const problems = urls.length === 4 && new Set(urls).size === 4
    ? []
    : ["The formula does not have an address for each system"];
  try {
    const { success, stderr } = await new Deno.Command("ruby", { args: ["-ce", formula] }).output();
    if (!success) problems.push(`The formula is no Ruby: ${new TextDecoder().decode(stderr)}`);
  } catch {
    console.log("there is no Ruby to read the formula");
  }
  return problems;
}

/** Every package has one version, and the lock file knows it. */
async function checkDependencies(imports: Readonly<Record<string, string>>): Promise<string[]> {
  const lock = JSON.parse(await read("deno.lock"));
  return Object.entries(imports).flatMap(([name, target]) => {
    if (!/^npm:(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/.test(target)) {
      return [`deno.json: "${name}" is not pinned to a version: ${target}`];
    }
    return target in lock["specifiers"] ? [] : [`deno.lock does not know ${target}`];
  });
}

async function checkChecksums(): Promise<string[]> {
  const text = await read(`dist/${CHECKSUMS_NAME}`).catch(() => undefined);
  if (text === undefined) return [];
  const problems: string[] = [];
  for (const [name, expected] of parseChecksums(text)) {
    const bytes = await Deno.readFile(join(ROOT, "dist", name)).catch(() => undefined);
    if (bytes === undefined) problems.push(`dist/${name} is missing`);
    else if (createHash("sha256").update(bytes).digest("hex") !== expected) {
      problems.push(`dist/${name} does not have its checksum`);
    }
  }
  return problems;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ args: Deno.args, options: { "tag": { type: "string" } } });
  const config = JSON.parse(await read("deno.json"));
  const missing = [];
  for (const path of ["README.md", "LICENSE"]) {
    if (!await exists(path)) missing.push(`${path} is missing`);
  }
  const problems = [
    ...missing,
    ...await checkVersions(config.version, values.tag),
    ...await checkWorkflows(new Set(Object.keys(config.tasks))),
    ...await checkFormula(config.version),
    ...await checkDependencies(config.imports),
    ...await checkChecksums(),
  ];
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "Ready for a release" : `${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

Deno.exit(await main());
