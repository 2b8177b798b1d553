import { createHash } from "node:crypto";
import { reproducibleGzip } from "../compile/reproducible_gzip.ts";
import type { CompileTarget } from "../compile/targets.ts";
import { type ArchiveEntry, folderEntry, foldersOf, textEntry } from "../release/archive_entry.ts";
import { concatenated, tarArchive } from "../release/tar_archive.ts";
import { manualPage } from "./manual_page.ts";
import { epochSecondsOf, NOTICES_NAME, type PackageSource, PRODUCT } from "./product.ts";

/** How Debian calls the architectures. */
export const DEBIAN_ARCHITECTURES = { "x64": "amd64", "arm64": "arm64" } as const;

/** What a Debian package has besides the executable. */
export interface DebianExtras {
  /** What the program says to `--help`. */
  readonly help: string;
  /** Scripts for completion, by shell. */
  readonly completions: ReadonlyMap<string, string>;
}

/** Where shells look for a program's completion. */
const COMPLETION_PATHS: Readonly<Record<string, string>> = {
  "bash": `usr/share/bash-completion/completions/${PRODUCT.name}`,
  "zsh": `usr/share/zsh/vendor-completions/_${PRODUCT.name}`,
  "fish": `usr/share/fish/vendor_completions.d/${PRODUCT.name}.fish`,
};

/** Name of the package for a target. */
export function debName(version: string, { arch }: CompileTarget): string {
  return `${PRODUCT.name}_${version}_${DEBIAN_ARCHITECTURES[arch]}.deb`;
}

/**
 * A Debian package: executable, manual page, completions. The same files give the same bytes
 * (deb(5): an `ar` archive of two tar archives).
 */
export function debPackage(
  program: Uint8Array,
  target: CompileTarget,
  source: PackageSource,
  { help, completions }: DebianExtras,
): Uint8Array {
  const epoch = epochSecondsOf(source);
  const doc = `usr/share/doc/${PRODUCT.name}`;
  const packed = (path: string, text: string): ArchiveEntry => ({
    path,
    bytes: reproducibleGzip(new TextEncoder().encode(text)),
    isExecutable: false,
  });
  const files: ArchiveEntry[] = [
    { path: `usr/bin/${PRODUCT.name}`, bytes: program, isExecutable: true },
    textEntry(`${doc}/copyright`, copyright(source)),
    packed(`${doc}/${NOTICES_NAME}.gz`, source.notices),
    packed(`${doc}/changelog.gz`, debianChangelog(source)),
    packed(`usr/share/man/man1/${PRODUCT.name}.1.gz`, manualPage(help, source.stamp)),
    textEntry(`usr/share/lintian/overrides/${PRODUCT.name}`, OVERRIDES),
    ...[...completions].map(([shell, text]) => textEntry(COMPLETION_PATHS[shell] as string, text)),
  ].sort((a, b) => a.path < b.path ? -1 : 1);
  const sums = files.map(({ path, bytes }) =>
    `${createHash("md5").update(bytes).digest("hex")}  ${path}\n`
  ).join("");
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const control = [
    textEntry("./control", controlFile(target, source, Math.ceil(size / 1024))),
    textEntry("./md5sums", sums),
  ];
  const data = [...foldersOf(files), ...files]
    .map((entry) => ({ ...entry, path: `./${entry.path}` }))
    .sort((a, b) => a.path < b.path ? -1 : 1);
  return arArchive([
    ["debian-binary", new TextEncoder().encode("2.0\n")],
    ["control.tar.gz", reproducibleGzip(tarArchive([folderEntry("."), ...control], epoch))],
    ["data.tar.gz", reproducibleGzip(tarArchive([folderEntry("."), ...data], epoch))],
  ], epoch);
}

function controlFile(
  { arch }: CompileTarget,
  { stamp }: PackageSource,
  kilobytes: number,
): string {
  return [
    `Package: ${PRODUCT.name}`,
    `Version: ${stamp.version}`,
    `Architecture: ${DEBIAN_ARCHITECTURES[arch]}`,
    `Maintainer: ${PRODUCT.author} <${PRODUCT.email}>`,
    `Installed-Size: ${kilobytes}`,
    `Depends: libc6 (>= ${PRODUCT.glibc}), libgcc-s1 | libgcc1`,
    "Recommends: ca-certificates",
    "Section: net",
    "Priority: optional",
    `Homepage: ${PRODUCT.homepage}`,
    "Description: measures LLM inference servers",
    " inferometer sends load to OpenAI-compatible servers (vLLM, SGLang, Dynamo,",
    " TensorRT-LLM, Triton, llama.cpp), reads their token streams, scrapes their",
    " Prometheus metrics meanwhile, and writes JSON, CSV, JSONL and Parquet. It",
    " reports its own error and can reach only the hosts on its command line.",
    "",
  ].join("\n");
}

function copyright({ stamp }: PackageSource): string {
  return [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    `Upstream-Name: ${PRODUCT.name}`,
    `Source: ${PRODUCT.homepage}`,
    "",
    "Files: *",
    `Copyright: ${stamp.date.slice(0, 4)} ${PRODUCT.author}`,
    `License: ${PRODUCT.license}`,
    " On Debian systems, the full text of the Apache License, Version 2.0 is in",
    " /usr/share/common-licenses/Apache-2.0.",
    "",
  ].join("\n");
}

function debianChangelog({ stamp }: PackageSource): string {
  const date = new Date(stamp.date).toUTCString().replace("GMT", "+0000");
  return [
    `${PRODUCT.name} (${stamp.version}) unstable; urgency=medium`,
    "",
    `  * Release ${stamp.version}, see CHANGELOG.md of the sources.`,
    "",
    ` -- ${PRODUCT.author} <${PRODUCT.email}>  ${date}`,
    "",
  ].join("\n");
}

/** Without its symbols a compiled program would lose what is embedded behind them. */
const OVERRIDES = [
  "# The program lies behind the runtime in the same file: stripping would cut it off.",
  `${PRODUCT.name}: unstripped-binary-or-object [usr/bin/${PRODUCT.name}]`,
  "# The runtime has its own copies of these.",
  `${PRODUCT.name}: embedded-library *`,
  "# The runtime is not linked with these options.",
  `${PRODUCT.name}: hardening-no-pie *`,
  `${PRODUCT.name}: hardening-no-fortify-functions *`,
  "",
].join("\n");

/** An `ar` archive. */
function arArchive(
  members: readonly (readonly [name: string, bytes: Uint8Array])[],
  epochSeconds: number,
): Uint8Array {
  const encoder = new TextEncoder();
  return concatenated([
    encoder.encode("!<arch>\n"),
    ...members.flatMap(([name, bytes]) => [
      encoder.encode(
        `${name.padEnd(16)}${String(epochSeconds).padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}` +
          `${"100644".padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`,
      ),
      bytes,
      encoder.encode(bytes.length % 2 === 0 ? "" : "\n"),
    ]),
  ]);
}
