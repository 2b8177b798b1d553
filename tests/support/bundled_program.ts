/**
 * The program in one piece, made once for each state of the sources: most commands start at
 * half of the cost that its hundreds of modules take. It is what executables are made of.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { bundle } from "../../scripts/compile/bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "dist/test_program");
/** The program for many command lines. */
const RESIDENT = "tests/support/resident_program.ts";
/** What a bundle is made of. */
const INPUTS = ["src", "scripts/compile", RESIDENT, "deno.json", "deno.lock"];
/** Other bundles may be in use. */
const KEPT_MS = 24 * 3600 * 1000;

/** Path of the program's first module; makes it, unless somebody has. */
export async function bundledProgram(): Promise<string> {
  const folder = join(FOLDER, await stateOf(INPUTS.map((path) => join(ROOT, path))));
  const path = join(folder, "main.js");
  if (await isThere(path)) return path;
  await Deno.mkdir(FOLDER, { recursive: true });
  using lock = await Deno.open(join(FOLDER, "lock"), { create: true, write: true });
  await lock.lock(true);
  // Another test may have made it in the meantime.
  if (await isThere(path)) return path;
  await removeOld();
  const work = await Deno.makeTempDir({ dir: FOLDER });
  const stamp = { version: await version(), commit: "source", date: new Date(0).toISOString() };
  // Hundreds of starts would unpack the data again.
  const options = { entries: ["src/main.ts", RESIDENT], packsData: false };
  await Deno.rename((await bundle(ROOT, work, stamp, options)).folder, folder);
  await Deno.remove(work, { recursive: true });
  return path;
}

/** A name for the state of files: their paths, sizes and times. */
async function stateOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256").update(Deno.version.deno);
  const add = async (path: string): Promise<void> => {
    const { isDirectory, size, mtime } = await Deno.stat(path);
    if (!isDirectory) {
      hash.update(`${relative(ROOT, path)}\0${size}\0${mtime?.getTime()}\n`);
      return;
    }
    const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
    for (const name of names.sort()) await add(join(path, name));
  };
  for (const path of paths) await add(path);
  return hash.digest("hex").slice(0, 16);
}

async function removeOld(): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(FOLDER)) {
    const path = join(FOLDER, name);
    const { mtime } = await Deno.stat(path);
    if (isDirectory && Date.now() - (mtime?.getTime() ?? 0) > KEPT_MS) {
      await Deno.remove(path, { recursive: true });
    }
  }
}

async function version(): Promise<string> {
  return JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))).version;
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
