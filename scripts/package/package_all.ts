import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Compiled } from "../compile.ts";
import { findRuntime } from "../compile/compile_executable.ts";
import { reproducibleGzip } from "../compile/reproducible_gzip.ts";
import { type CompileTarget, TARGETS } from "../compile/targets.ts";
import { type ArchiveEntry, textEntry } from "../release/archive_entry.ts";
import { archiveName, CHECKSUMS_NAME } from "../release/assets.ts";
import { changelogNotes } from "../release/changelog_notes.ts";
import { homebrewFormula } from "../release/homebrew_formula.ts";
import { tarArchive } from "../release/tar_archive.ts";
import { zipArchive } from "../release/zip_archive.ts";
import { debName, debPackage } from "./deb.ts";
import { DebianError, debianPins } from "./debian_files.ts";
import { libraryName, libraryTarball } from "./library_package.ts";
import { platformPackage, platformTarball, rootTarball, tarballName } from "./npm_packages.ts";
import { imageName, ociImage } from "./oci_image.ts";
import { epochSecondsOf, NOTICES_NAME, type PackageSource, PRODUCT } from "./product.ts";
import { type Checksum, provenance, provenanceName } from "./provenance.ts";
import { sbom, sbomName } from "./sbom.ts";
import { wheel, wheelName } from "./wheel.ts";

/** What is packed, and where it goes. */
export interface PackageAllOptions {
  /** Folder of the checkout. */
  readonly root: string;
  /** Folder that gets everything. */
  readonly folder: string;
  /** Folder where what is fetched is kept. */
  readonly cache: string;
  readonly repository: string;
  readonly source: PackageSource;
  /** Targets in the order of the executables. */
  readonly targets: readonly CompileTarget[];
  readonly compiled: Compiled;
  /** Called with a sentence about what is left out. */
  onWarning(text: string): void;
  /** What the program says to a command line. */
  say(args: readonly string[]): Promise<string>;
}

const SHELLS = ["bash", "zsh", "fish"];

/** Packs executables and library for every way of installing; returns the names of the files. */
export async function packageAll(options: PackageAllOptions): Promise<string[]> {
  const { root, folder, source, targets, compiled } = options;
  const { version } = source.stamp;
  const checksums = new Map<string, string>();
  const write = async (name: string, bytes: Uint8Array | string): Promise<void> => {
    const data = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    await Deno.writeFile(join(folder, name), data);
    checksums.set(name, createHash("sha256").update(data).digest("hex"));
  };
  await Promise.all(
    ["npm", "library"].map((name) => Deno.mkdir(join(folder, name), { recursive: true })),
  );
  const extras = {
    help: await options.say(["--help"]),
    completions: new Map(
      await Promise.all(
        SHELLS.map(async (shell) => [shell, await options.say(["complete", shell])] as const),
      ),
    ),
  };
  const forImage: [CompileTarget, Uint8Array][] = [];
  for (const [index, target] of targets.entries()) {
    const program = await Deno.readFile(compiled.paths[index] as string);
    await write(archiveName(version, target), archive(program, target, source));
    await write(wheelName(version, target), wheel(program, target, source));
    await write(
      `npm/${tarballName(platformPackage(target), version)}`,
      platformTarball(program, target, source),
    );
    if (target.os !== "linux") continue;
    await write(debName(version, target), debPackage(program, target, source, extras));
    forImage.push([target, program]);
  }
  await write(`npm/${tarballName(PRODUCT.name, version)}`, rootTarball(TARGETS, source));
  await write(`library/${libraryName(version)}`, await libraryTarball(root, source));
  if (forImage.length > 0) {
    try {
      await write(imageName(version), await ociImage(forImage, source, options.cache));
    } catch (error) {
      // Everything else is of use without it.
      if (!(error instanceof DebianError)) throw error;
      options.onWarning(`There is no container image: ${error.message}`);
    }
  }
  const { packages, compiler } = compiled;
  await write(sbomName(version), sbom(source, { packages, denoVersion: compiler.version }));
  if (TARGETS.every((target) => targets.includes(target))) {
    await write("inferometer.rb", homebrewFormula(options.repository, version, checksums));
  }
  const made = sorted(checksums);
  const materials: Checksum[] = [
    ["deno.lock", await checksumOf(join(root, "deno.lock"))],
    ...await runtimeChecksums(compiled, targets),
    ...(["amd64", "arm64"] as const).flatMap((architecture) =>
      debianPins(architecture).map(({ path, sha256 }): Checksum => [path, sha256])
    ),
  ];
  await write(provenanceName(version), provenance(source, compiler, made, unique(materials)));
  const lines = sorted(checksums).map(([name, checksum]) => `${checksum}  ${name}\n`);
  await Deno.writeTextFile(join(folder, CHECKSUMS_NAME), lines.join(""));
  const notes = `${changelogNotes(source.changelog, version) ?? ""}\n`;
  await Deno.writeTextFile(join(folder, "NOTES.md"), notes);
  return [...sorted(checksums).map(([name]) => name), CHECKSUMS_NAME, "NOTES.md"];
}

/** The executable with its documents. */
function archive(
  program: Uint8Array,
  target: CompileTarget,
  source: PackageSource,
): Uint8Array {
  const suffix = target.os === "windows" ? ".exe" : "";
  const entries: ArchiveEntry[] = [
    { path: `${PRODUCT.name}${suffix}`, bytes: program, isExecutable: true },
    textEntry("LICENSE", source.license),
    textEntry(NOTICES_NAME, source.notices),
    textEntry("README.md", source.readme),
  ];
  const epoch = epochSecondsOf(source);
  return target.os === "windows"
    ? zipArchive(entries, epoch)
    : reproducibleGzip(tarArchive(entries, epoch));
}

function sorted(checksums: ReadonlyMap<string, string>): Checksum[] {
  return [...checksums].sort(([a], [b]) => a < b ? -1 : 1);
}

function unique(checksums: readonly Checksum[]): Checksum[] {
  return [...new Map(checksums.map((checksum) => [checksum.join(" "), checksum])).values()];
}

async function checksumOf(path: string): Promise<string> {
  return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
}

/** The runtimes that the executables begin with, where they lie in a folder. */
async function runtimeChecksums(
  { compiler }: Compiled,
  targets: readonly CompileTarget[],
): Promise<Checksum[]> {
  const checksums: Checksum[] = [];
  for (const target of targets) {
    const path = await findRuntime(compiler, target);
    if (path === undefined) continue;
    checksums.push([`denort-${compiler.version}-${target.triple}`, await checksumOf(path)]);
  }
  return checksums;
}
