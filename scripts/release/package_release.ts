// deno-lint-ignore-file no-console
/**
 * Packs the executables of `dist/` for a release:
 * `deno run --allow-all scripts/release/package_release.ts [--dist DIR] [--repository OWNER/NAME]`
 *
 * An archive for each target, with the program, README and LICENSE; their checksums; the Homebrew
 * formula; the notes of this version; and the programs for the container image, by the names that
 * image builders have for architectures.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildStamp } from "../compile/build_stamp.ts";
import { reproducibleGzip } from "../compile/reproducible_gzip.ts";
import { type CompileTarget, executableName, TARGETS } from "../compile/targets.ts";
import type { ArchiveEntry } from "./archive_entry.ts";
import { archiveName, CHECKSUMS_NAME, DEFAULT_REPOSITORY } from "./assets.ts";
import { changelogNotes } from "./changelog_notes.ts";
import { homebrewFormula } from "./homebrew_formula.ts";
import { tarArchive } from "./tar_archive.ts";
import { zipArchive } from "./zip_archive.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** How image builders name architectures. */
const IMAGE_ARCHITECTURES = { x64: "amd64", arm64: "arm64" } as const;

/** Settings of {@linkcode packageRelease}. */
export interface PackageOptions {
  /** Folder with the executables, which gets the archives as well. */
  readonly folder: string;
  readonly repository: string;
  readonly version: string;
  readonly epochSeconds: number;
  /** Targets that must be there. */
  readonly targets: readonly CompileTarget[];
  readonly readme: Uint8Array;
  readonly license: Uint8Array;
  readonly changelog: string;
}

/** Packs a release; returns the names of the files that were made. */
export async function packageRelease(options: PackageOptions): Promise<string[]> {
  const { folder, version, epochSeconds, targets } = options;
  const checksums = new Map<string, string>();
  const made: string[] = [];
  const write = async (name: string, bytes: Uint8Array | string) => {
    const data = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    await Deno.writeFile(join(folder, name), data);
    made.push(name);
    return createHash("sha256").update(data).digest("hex");
  };
  for (const target of targets) {
    const program = await Deno.readFile(join(folder, executableName(version, target)));
    const suffix = target.os === "windows" ? ".exe" : "";
    const entries: ArchiveEntry[] = [
      { path: `inferometer${suffix}`, bytes: program, isExecutable: true },
      { path: "LICENSE", bytes: options.license, isExecutable: false },
      { path: "README.md", bytes: options.readme, isExecutable: false },
    ];
    const name = archiveName(version, target);
    const archive = target.os === "windows"
      ? zipArchive(entries, epochSeconds)
      : reproducibleGzip(tarArchive(entries, epochSeconds));
    checksums.set(name, await write(name, archive));
    if (target.os === "linux") {
      const imageName = `inferometer-linux-${IMAGE_ARCHITECTURES[target.arch]}`;
      await Deno.copyFile(join(folder, executableName(version, target)), join(folder, imageName));
      made.push(imageName);
    }
  }
  const lines = [...checksums].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, checksum]) => `${checksum}  ${name}\n`);
  await write(CHECKSUMS_NAME, lines.join(""));
  if (TARGETS.every((target) => targets.includes(target))) {
    await write("inferometer.rb", homebrewFormula(options.repository, version, checksums));
  }
  await write("NOTES.md", `${changelogNotes(options.changelog, version) ?? ""}\n`);
  return made;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args,
    options: { "dist": { type: "string" }, "repository": { type: "string" } },
  });
  const { version, date } = await buildStamp(ROOT);
  const made = await packageRelease({
    folder: values.dist ?? join(ROOT, "dist"),
    repository: values.repository ?? DEFAULT_REPOSITORY,
    version,
    epochSeconds: Date.parse(date) / 1000,
    targets: TARGETS,
    readme: await Deno.readFile(join(ROOT, "README.md")),
    license: await Deno.readFile(join(ROOT, "LICENSE")),
    changelog: await Deno.readTextFile(join(ROOT, "CHANGELOG.md")),
  });
  for (const name of made) console.log(name);
}

if (import.meta.main) await main();
