/** A system that executables are made for. */
export interface CompileTarget {
  /** As file names have it. */
  readonly name: string;
  /** As `deno compile --target` has it. */
  readonly triple: string;
  readonly os: "linux" | "macos" | "windows";
  readonly arch: "x64" | "arm64";
}

/** The targets, all of them. */
export const TARGETS: readonly CompileTarget[] = [
  { name: "linux-x64", triple: "x86_64-unknown-linux-gnu", os: "linux", arch: "x64" },
  { name: "linux-arm64", triple: "aarch64-unknown-linux-gnu", os: "linux", arch: "arm64" },
  { name: "macos-x64", triple: "x86_64-apple-darwin", os: "macos", arch: "x64" },
  { name: "macos-arm64", triple: "aarch64-apple-darwin", os: "macos", arch: "arm64" },
  { name: "windows-x64", triple: "x86_64-pc-windows-msvc", os: "windows", arch: "x64" },
];

/**
 * The targets of these names or triples; `all` stands for all of them.
 * @throws {RangeError} if there is no such target
 */
export function targetsOf(names: readonly string[]): CompileTarget[] {
  if (names.includes("all")) return [...TARGETS];
  return names.map((name) => {
    const target = TARGETS.find((target) => target.name === name || target.triple === name);
    if (target !== undefined) return target;
    const known = TARGETS.map(({ name }) => name).join(", ");
    throw new RangeError(`Target must be one of ${known}, all: got "${name}"`);
  });
}

/** Name of the target that this program runs on. */
export function hostTarget(): string {
  const { target } = Deno.build;
  return TARGETS.find(({ triple }) => triple === target)?.name ?? target;
}

/** Name of an executable. */
export function executableName(version: string, { name, os }: CompileTarget): string {
  return `inferometer-${version}-${name}${os === "windows" ? ".exe" : ""}`;
}
