import { createHash } from "node:crypto";
import type { CompileTarget } from "../compile/targets.ts";
import { type ArchiveEntry, textEntry } from "../release/archive_entry.ts";
import { zipArchive } from "../release/zip_archive.ts";
import { epochSecondsOf, NOTICES_NAME, type PackageSource, PRODUCT } from "./product.ts";

/** What installers call the systems that an executable is for. */
const PLATFORM_TAGS: Readonly<Record<string, string>> = {
  "linux-x64": `manylinux_${PRODUCT.glibc.replace(".", "_")}_x86_64`,
  "linux-arm64": `manylinux_${PRODUCT.glibc.replace(".", "_")}_aarch64`,
  "macos-x64": "macosx_11_0_x86_64",
  "macos-arm64": "macosx_11_0_arm64",
  "windows-x64": "win_amd64",
};

/** Name of the wheel for a target. */
export function wheelName(version: string, { name }: CompileTarget): string {
  return `${PRODUCT.name}-${version}-py3-none-${PLATFORM_TAGS[name]}.whl`;
}

/**
 * A wheel that holds the executable as a script, so that installers put it beside Python's own
 * programs and no Python runs when it is called (PEP 427; metadata 2.4, PEP 639).
 */
export function wheel(
  program: Uint8Array,
  target: CompileTarget,
  source: PackageSource,
): Uint8Array {
  const { version } = source.stamp;
  const stem = `${PRODUCT.name}-${version}`;
  const suffix = target.os === "windows" ? ".exe" : "";
  const entries: ArchiveEntry[] = [
    {
      path: `${stem}.data/scripts/${PRODUCT.name}${suffix}`,
      bytes: program,
      isExecutable: true,
    },
    textEntry(`${stem}.dist-info/METADATA`, metadata(source)),
    textEntry(
      `${stem}.dist-info/WHEEL`,
      [
        "Wheel-Version: 1.0",
        `Generator: ${PRODUCT.name} ${version}`,
        "Root-Is-Purelib: false",
        `Tag: py3-none-${PLATFORM_TAGS[target.name]}`,
        "",
      ].join("\n"),
    ),
    textEntry(`${stem}.dist-info/licenses/LICENSE`, source.license),
    textEntry(`${stem}.dist-info/licenses/${NOTICES_NAME}`, source.notices),
  ];
  const record = `${stem}.dist-info/RECORD`;
  const lines = entries.map(({ path, bytes }) => {
    const digest = createHash("sha256").update(bytes).digest("base64url");
    return `${path},sha256=${digest},${bytes.length}\n`;
  });
  entries.push(textEntry(record, `${lines.join("")}${record},,\n`));
  return zipArchive(entries, epochSecondsOf(source));
}

function metadata({ stamp, readme }: PackageSource): string {
  return [
    "Metadata-Version: 2.4",
    `Name: ${PRODUCT.name}`,
    `Version: ${stamp.version}`,
    `Summary: ${PRODUCT.summary}`,
    `Author: ${PRODUCT.author}`,
    `License-Expression: ${PRODUCT.license}`,
    "License-File: LICENSE",
    `License-File: ${NOTICES_NAME}`,
    `Keywords: ${PRODUCT.keywords.join(",")}`,
    `Project-URL: Homepage, ${PRODUCT.homepage}`,
    `Project-URL: Changelog, ${PRODUCT.homepage}/blob/v${stamp.version}/CHANGELOG.md`,
    "Classifier: Environment :: Console",
    "Classifier: Intended Audience :: Developers",
    "Classifier: Operating System :: OS Independent",
    "Classifier: Topic :: System :: Benchmark",
    "Requires-Python: >=3.8",
    "Description-Content-Type: text/markdown; charset=UTF-8",
    "",
    readme,
  ].join("\n");
}
