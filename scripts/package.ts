// deno-lint-ignore-file no-console
/**
 * Packs everything that people install:
 * `deno task package [--target NAME...] [--denort DIR] [--output-dir DIR] [--repository OWNER/NAME]`
 *
 * Executables; archives, wheels, npm packages (`npm/`), Debian packages, a container image; the
 * library as an npm package (`library/`); a bill of materials, provenance, checksums; and where all
 * systems are there, the Homebrew formula. The same commit gives the same bytes. The default are
 * the targets whose runtime is at hand; `--denort` as for `deno task compile`.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compileAll } from "./compile.ts";
import { buildStamp } from "./compile/build_stamp.ts";
import { runtimeNames } from "./compile/compile_executable.ts";
import { exitCodeOf } from "./compile/exit_code_of.ts";
import { type CompileTarget, hostTarget, TARGETS, targetsOf } from "./compile/targets.ts";
import { packageAll } from "./package/package_all.ts";
import { programOutput } from "./process/program_output.ts";
import { DEFAULT_REPOSITORY } from "./release/assets.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The targets that there are runtimes for in a folder; all where they are downloaded. */
async function targetsAtHand(denortFolder: string | undefined): Promise<CompileTarget[]> {
  if (denortFolder === undefined) return [...TARGETS];
  const files = new Set<string>();
  for await (const { name } of Deno.readDir(denortFolder)) files.add(name);
  const isAtHand = (target: CompileTarget) => runtimeNames(target).some((name) => files.has(name));
  for (const target of TARGETS) {
    if (!isAtHand(target)) console.log(`${target.name}: left out, no runtime in ${denortFolder}`);
  }
  return TARGETS.filter(isAtHand);
}

/** What pages of help look like everywhere. */
const PLAIN = { "NO_COLOR": "1", "COLUMNS": "80" };

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "target": { type: "string", multiple: true },
      "denort": { type: "string" },
      "output-dir": { type: "string" },
      "repository": { type: "string" },
    },
  });
  const { target, denort: denortFolder, repository = DEFAULT_REPOSITORY } = values;
  const targets = target === undefined ? await targetsAtHand(denortFolder) : targetsOf(target);
  const folder = values["output-dir"] ?? join(ROOT, "dist");
  const compiled = await compileAll({ targets, denortFolder, outputFolder: folder });
  const own = targets.findIndex(({ name }) => name === hostTarget());
  // From source where none of the executables runs here: it says the same.
  const say = (args: readonly string[]) =>
    own >= 0 ? programOutput(compiled.paths[own] as string, args, { env: PLAIN }) : programOutput(
      Deno.execPath(),
      ["run", "--allow-all", join(ROOT, "src/main.ts"), ...args],
      { env: PLAIN },
    );
  const made = await packageAll({
    ...{ root: ROOT, folder, repository, targets, compiled, say },
    onWarning: (text) => console.error(`warning: ${text}`),
    cache: join(ROOT, ".cache/debian"),
    source: {
      stamp: await buildStamp(ROOT),
      readme: await Deno.readTextFile(join(ROOT, "README.md")),
      license: await Deno.readTextFile(join(ROOT, "LICENSE")),
      notices: await Deno.readTextFile(join(ROOT, "src/cli/commands/licenses.txt")),
      changelog: await Deno.readTextFile(join(ROOT, "CHANGELOG.md")),
    },
  });
  for (const name of made) {
    const { size } = await Deno.stat(join(folder, name));
    console.log(`${name}  ${(size / 1e6).toFixed(2)} MB`);
  }
}

Deno.exit(await exitCodeOf(main));
