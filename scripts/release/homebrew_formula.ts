import { TARGETS } from "../compile/targets.ts";
import { archiveName, assetUrl } from "./assets.ts";

/**
 * The formula by which Homebrew installs a release.
 * @param checksums of the archives by their names
 * @throws {RangeError} if one is missing
 */
export function homebrewFormula(
  repository: string,
  version: string,
  checksums: ReadonlyMap<string, string>,
): string {
  const block = (os: "linux" | "macos") =>
    TARGETS.filter((target) => target.os === os).flatMap((target) => {
      const name = archiveName(version, target);
      const checksum = checksums.get(name);
      if (checksum === undefined) throw new RangeError(`There is no checksum of ${name}`);
      return [
        `    on_${target.arch === "x64" ? "intel" : "arm"} do`,
        `      url "${assetUrl(repository, version, name)}"`,
        `      sha256 "${checksum}"`,
        "    end",
      ];
    });
  return [
    "class Inferometer < Formula",
    '  desc "Measures LLM inference servers: load, token streams, exact statistics"',
    `  homepage "https://github.com/${repository}"`,
    `  version "${version}"`,
    '  license "Apache-2.0"',
    "",
    "  on_macos do",
    ...block("macos"),
    "  end",
    "",
    "  on_linux do",
    ...block("linux"),
    "  end",
    "",
    "  def install",
    '    bin.install "inferometer"',
    '    generate_completions_from_executable(bin/"inferometer", "complete",',
    "                                         shells: [:bash, :zsh, :fish])",
    "  end",
    "",
    "  test do",
    '    assert_equal version.to_s, shell_output("#{bin}/inferometer --version").strip',
    "  end",
    "end",
    "",
  ].join("\n");
}
