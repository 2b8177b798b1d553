import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "./clean_environment.ts";
import { RUNTIME_FLAGS } from "./runtime_flags.ts";
import type { CompileTarget } from "./targets.ts";

/** Something that cannot be compiled, and why. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** The Deno that makes executables, and the runtimes that it embeds. */
export interface Compiler {
  /** Path of the Deno. */
  readonly deno: string;
  readonly version: string;
  /** Folder with its runtimes; undefined has it download the one it needs. */
  readonly denortFolder: string | undefined;
}

/**
 * The Deno that runs this program; or, in a folder with runtimes, the one that lies beside them.
 * @throws {CompileError} if that one does not run
 */
export async function findCompiler(denortFolder: string | undefined): Promise<Compiler> {
  const beside = denortFolder === undefined
    ? undefined
    : await Deno.realPath(join(denortFolder, "deno")).catch(() => undefined);
  if (beside === undefined) {
    return { deno: Deno.execPath(), version: Deno.version.deno, denortFolder };
  }
  const { stdout } = await new Deno.Command(beside, { args: ["--version"] }).output();
  const version = /^deno (\S+)/.exec(new TextDecoder().decode(stdout))?.[1];
  if (version === undefined) throw new CompileError(`${beside} does not say its version`);
  return { deno: beside, version, denortFolder };
}

/** Settings of {@linkcode compileExecutable}. */
export interface CompileOptions {
  readonly target: CompileTarget;
  /** The folder that holds the program. */
  readonly folder: string;
  /** Its files, the entry among them. */
  readonly files: readonly string[];
  /** @default "main.js" */
  readonly entry?: string;
  /** @default RUNTIME_FLAGS */
  readonly flags?: readonly string[];
  readonly compiler: Compiler;
  /** Where the executable goes. */
  readonly output: string;
}

/**
 * Makes an executable of a bundle.
 * @throws {CompileError} with what Deno says about it
 */
export async function compileExecutable(options: CompileOptions): Promise<void> {
  const { target, folder, files, compiler, output } = options;
  const entry = options.entry ?? "main.js";
  const runtime = await findRuntime(compiler, target);
  await Deno.mkdir(dirname(output), { recursive: true });
  const { success, stderr } = await new Deno.Command(compiler.deno, {
    args: [
      ...["compile", "--quiet", "--no-config", "--no-lock", "--no-npm", "--no-remote"],
      ...["--no-check", "--target", target.triple, ...options.flags ?? RUNTIME_FLAGS],
      ...files.filter((file) => file !== entry).flatMap((file) => ["--include", file]),
      ...["--output", output, entry],
    ],
    cwd: folder,
    clearEnv: true,
    env: cleanEnvironment({
      ...{ "NO_COLOR": "1" },
      ...(runtime === undefined ? {} : { "DENORT_BIN": runtime }),
    }),
  }).output();
  if (success) return;
  const advice = runtime === undefined
    ? " (where nothing can be downloaded, name a folder with runtimes: --denort DIR)"
    : "";
  const said = new TextDecoder().decode(stderr).trim().replaceAll(/\s*\n\s*/g, " ");
  throw new CompileError(`Deno cannot compile for ${target.name}${advice}: ${said}`);
}

/**
 * The runtime for a target in the compiler's folder: `denort-linux-x64`, or `denort-x64` for Linux;
 * undefined if it is to be downloaded.
 * @throws {CompileError} if there is none, or it is another version's than the compiler
 */
export async function findRuntime(
  { denortFolder, version }: Compiler,
  target: CompileTarget,
): Promise<string | undefined> {
  if (denortFolder === undefined) return undefined;
  const names = runtimeNames(target);
  for (const name of names) {
    const path = await Deno.realPath(join(denortFolder, name)).catch(() => undefined);
    if (path === undefined) continue;
    if (await holdsText(path, version)) return path;
    throw new CompileError(`${path} is not the runtime of Deno ${version}, which compiles here`);
  }
  throw new CompileError(`There is no ${names.join(" or ")} in ${denortFolder}`);
}

/** What the runtime for a target may be called in a folder. */
export function runtimeNames({ name, os, arch }: CompileTarget): string[] {
  const suffix = os === "windows" ? ".exe" : "";
  return [`denort-${name}${suffix}`, ...(os === "linux" ? [`denort-${arch}`] : [])];
}

async function holdsText(path: string, text: string): Promise<boolean> {
  const bytes = await Deno.readFile(path);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text);
}
