// deno-lint-ignore-file no-console
/**
 * Makes the executables: `deno task compile [--target NAME...] [--denort DIR] [--output-dir DIR]
 * [--sizes]`
 *
 * The same commit gives the same bytes, whoever compiles it, if the version of Deno is the same.
 * `--sizes` tells what each part adds to the runtime.
 * Targets are linux-x64, linux-arm64, macos-x64, macos-arm64, windows-x64, or all; the default is
 * this machine's. Where nothing can be downloaded, `--denort` names a folder with the runtimes that
 * Deno embeds (`denort-linux-x64`, ...), and with the Deno they belong to, if it is another one.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildStamp } from "./compile/build_stamp.ts";
import { type Bundle, bundle, type BundledPackage } from "./compile/bundle.ts";
import { compileExecutable, type Compiler, findCompiler } from "./compile/compile_executable.ts";
import { exitCodeOf } from "./compile/exit_code_of.ts";
import { type CompileTarget, executableName, hostTarget, targetsOf } from "./compile/targets.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Settings of {@linkcode compileAll}. */
export interface CompileAllOptions {
  readonly targets: readonly CompileTarget[];
  readonly denortFolder: string | undefined;
  readonly outputFolder: string;
}

/** What compiling gave. */
export interface Compiled {
  /** Paths of the executables, in the order of the targets. */
  readonly paths: readonly string[];
  /** Code of others that is in them. */
  readonly packages: readonly BundledPackage[];
  /** Bytes that each part adds to the runtime. */
  readonly parts: Bundle["parts"];
  readonly compiler: Compiler;
}

/** Makes executables for targets, of the sources around this script. */
export async function compileAll(options: CompileAllOptions): Promise<Compiled> {
  const { targets, denortFolder, outputFolder } = options;
  const work = await Deno.realPath(await Deno.makeTempDir({ prefix: "inferometer-compile-" }));
  try {
    const compiler = await findCompiler(denortFolder);
    const stamp = await buildStamp(ROOT);
    const { folder, files, packages, parts } = await bundle(ROOT, work, stamp);
    await Deno.mkdir(outputFolder, { recursive: true });
    const paths: string[] = [];
    for (const target of targets) {
      const name = executableName(stamp.version, target);
      const output = join(await Deno.realPath(outputFolder), name);
      await compileExecutable({ target, folder, files, compiler, output });
      paths.push(output);
    }
    return { paths, packages, parts, compiler };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "target": { type: "string", multiple: true },
      "denort": { type: "string" },
      "output-dir": { type: "string" },
      "sizes": { type: "boolean" },
    },
  });
  const { paths, parts } = await compileAll({
    targets: targetsOf(values.target ?? [hostTarget()]),
    denortFolder: values.denort,
    outputFolder: values["output-dir"] ?? join(ROOT, "dist"),
  });
  for (const path of paths) {
    const { size } = await Deno.stat(path);
    console.log(`${path}  ${(size / 1e6).toFixed(2)} MB`);
  }
  if (values.sizes === true) {
    for (const [name, bytes] of parts) console.log(`${(bytes / 1e3).toFixed(1)} kB  ${name}`);
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(main));
