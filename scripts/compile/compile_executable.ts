import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "./clean_environment.ts";
import { RUNTIME_FLAGS } from "./runtime_flags.ts";
import type { CompileTarget } from "./targets.ts";

/** Something that cannot be compiled, and why. */
export class CompileError extends Error {
  override readonly name = "CompileError";
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
  /** Folder with runtimes; undefined has Deno download the one it needs. */
  readonly denortFolder: string | undefined;
  /** Where the executable goes. */
  readonly output: string;
}

/**
 * Makes an executable of a bundle.
 * @throws {CompileError} with what Deno says about it
 */
export async function compileExecutable(options: CompileOptions): Promise<void> {
  const { target, folder, files, denortFolder, output } = options;
  const entry = options.entry ?? "main.js";
  const runtime = denortFolder === undefined
    ? {}
    : { DENORT_BIN: await findRuntime(denortFolder, target) };
  await Deno.mkdir(dirname(output), { recursive: true });
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["compile", "--quiet", "--no-config", "--no-lock", "--no-npm", "--no-remote"],
      ...["--no-check", "--target", target.triple, ...options.flags ?? RUNTIME_FLAGS],
      ...files.filter((file) => file !== entry).flatMap((file) => ["--include", file]),
      ...["--output", output, entry],
    ],
    cwd: folder,
    clearEnv: true,
    env: cleanEnvironment(runtime),
  }).output();
  if (success) return;
  const advice = denortFolder === undefined
    ? " (where nothing can be downloaded, name a folder with runtimes: --denort DIR)"
    : "";
  throw new CompileError(
    `Deno cannot compile for ${target.name}${advice}: ${new TextDecoder().decode(stderr).trim()}`,
  );
}

/**
 * The runtime for a target in a folder: `denort-linux-x64`, or `denort-x64` for Linux.
 * @throws {CompileError} if there is none, or it is another version's than the Deno at hand
 */
export async function findRuntime(folder: string, target: CompileTarget): Promise<string> {
  const suffix = target.os === "windows" ? ".exe" : "";
  const names = [
    `denort-${target.name}${suffix}`,
    ...(target.os === "linux" ? [`denort-${target.arch}`] : []),
  ];
  for (const name of names) {
    const path = await Deno.realPath(join(folder, name)).catch(() => undefined);
    if (path === undefined) continue;
    const { deno } = Deno.version;
    if (!await holdsText(path, deno)) {
      throw new CompileError(`${path} is not the runtime of Deno ${deno}, which compiles here`);
    }
    return path;
  }
  throw new CompileError(`There is no ${names.join(" or ")} in ${folder}`);
}

async function holdsText(path: string, text: string): Promise<boolean> {
  const bytes = await Deno.readFile(path);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text);
}
