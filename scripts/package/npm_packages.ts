import { reproducibleGzip } from "../compile/reproducible_gzip.ts";
import type { CompileTarget } from "../compile/targets.ts";
import { type ArchiveEntry, textEntry } from "../release/archive_entry.ts";
import { tarArchive } from "../release/tar_archive.ts";
import { epochSecondsOf, NOTICES_NAME, type PackageSource, PRODUCT } from "./product.ts";

const SCOPE = `@${PRODUCT.name}`;
/** How npm calls the systems. */
const SYSTEMS = { "linux": "linux", "macos": "darwin", "windows": "win32" } as const;

/** Name of the package that has the executable for a target. */
export function platformPackage({ os, arch }: Pick<CompileTarget, "os" | "arch">): string {
  return `${SCOPE}/${SYSTEMS[os]}-${arch}`;
}

/** Name of a package's tarball, as `npm pack` gives it. */
export function tarballName(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** The tarball of the package that has the executable for one target. */
export function platformTarball(
  program: Uint8Array,
  target: CompileTarget,
  source: PackageSource,
): Uint8Array {
  const { os, arch } = target;
  const suffix = os === "windows" ? ".exe" : "";
  const manifest = {
    "name": platformPackage(target),
    ...common(source),
    "description": `The ${PRODUCT.name} executable for ${os} ${arch}`,
    "os": [SYSTEMS[os]],
    "cpu": [arch],
    ...(os === "linux" ? { "libc": ["glibc"] } : {}),
    // Another program may ask where it is.
    "exports": { [`./bin/${PRODUCT.name}${suffix}`]: `./bin/${PRODUCT.name}${suffix}` },
  };
  return tarball(manifest, source, [
    { path: `bin/${PRODUCT.name}${suffix}`, bytes: program, isExecutable: true },
    textEntry("README.md", `# ${manifest.name}\n\n${manifest.description}: see \`inferometer\`.\n`),
  ]);
}

/**
 * The tarball of the package that people install. It has no program of its own and downloads none:
 * npm installs the one optional dependency that fits the machine.
 * @param targets those that there are packages for
 */
export function rootTarball(
  targets: readonly CompileTarget[],
  source: PackageSource,
): Uint8Array {
  const { version } = source.stamp;
  const bin = `bin/${PRODUCT.name}.js`;
  const manifest = {
    "name": PRODUCT.name,
    ...common(source),
    "description": PRODUCT.summary,
    "keywords": PRODUCT.keywords,
    "type": "module",
    "bin": { [PRODUCT.name]: bin },
    "engines": { "node": ">=18" },
    "optionalDependencies": Object.fromEntries(
      targets.map((target) => [platformPackage(target), version]),
    ),
  };
  return tarball(manifest, source, [
    { ...textEntry(bin, LAUNCHER), isExecutable: true },
    textEntry("README.md", source.readme),
  ]);
}

function common({ stamp }: PackageSource) {
  return {
    "version": stamp.version,
    "license": PRODUCT.license,
    "author": PRODUCT.author,
    "homepage": PRODUCT.homepage,
    "repository": { "type": "git", "url": `git+${PRODUCT.homepage}.git` },
  };
}

/** A package as npm packs it. */
export function tarball(
  manifest: object,
  source: PackageSource,
  files: readonly ArchiveEntry[],
): Uint8Array {
  const entries = [
    textEntry("package.json", `${JSON.stringify(manifest, null, 2)}\n`),
    textEntry("LICENSE", source.license),
    textEntry(NOTICES_NAME, source.notices),
    ...files,
  ].map((entry) => ({ ...entry, path: `package/${entry.path}` }));
  return reproducibleGzip(tarArchive(entries, epochSecondsOf(source)));
}

/** Starts the executable: input, output, signals and exit code are its own. */
const LAUNCHER = `#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import process from "node:process";

const name = \`${SCOPE}/\${process.platform}-\${process.arch}\`;
const suffix = process.platform === "win32" ? ".exe" : "";
let program;
try {
  program = createRequire(import.meta.url).resolve(\`\${name}/bin/${PRODUCT.name}\${suffix}\`);
} catch {
  console.error(
    \`error: \${name} is not installed: this system is not supported, or optional dependencies \` +
      "were left out (npm install --include=optional)",
  );
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", ({ message }) => {
  console.error(\`error: \${program}: \${message}\`);
  process.exit(1);
});
// A terminal sends them to both; the executable decides what becomes of them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
`;
