import { type CompileTarget, TARGETS } from "../compile/targets.ts";

/** Name of the file of checksums. */
export const CHECKSUMS_NAME = "SHA256SUMS";

/** The repository in which the product is released. */
export const DEFAULT_REPOSITORY = "inferometer/inferometer";

/** Name of the archive of a target. */
export function archiveName(version: string, { name, os }: CompileTarget): string {
  return `inferometer-${version}-${name}.${os === "windows" ? "zip" : "tar.gz"}`;
}

/** Address of a file of a release. */
export function assetUrl(repository: string, version: string, name: string): string {
  return `https://github.com/${repository}/releases/download/v${version}/${name}`;
}

/** Names of all archives of a release. */
export function archiveNames(version: string): string[] {
  return TARGETS.map((target) => archiveName(version, target));
}

/** The checksums of a file like the one that `sha256sum` writes. */
export function parseChecksums(text: string): Map<string, string> {
  return new Map(
    text.split("\n").filter((line) => line !== "").map((line) => {
      const match = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line);
      if (match === null) throw new SyntaxError(`Not a line of checksums: "${line}"`);
      return [match[2] as string, match[1] as string];
    }),
  );
}
