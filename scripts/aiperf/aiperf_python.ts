/** A Python that has AIPerf, made once for this machine. */

import { join } from "node:path";
import { AIPERF_VERSION } from "../../src/config/options/commands/aiperf_options.ts";

/** Interpreters that can run it, by the names that they may have. */
const INTERPRETERS = ["python3.13", "python3.12", "python3.11", "python3"];
const FITS = "import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))";
/** 1.2 GB of packages. */
const INSTALL_MS = 900_000;

/** Runs a program and returns how it ended; -1 if it cannot be run, or not in time. */
async function run(
  command: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ readonly code: number; readonly stderr: string }> {
  try {
    const { code, stderr } = await new Deno.Command(command, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(timeoutMs),
    }).output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  } catch (error) {
    return { code: -1, stderr: (error as Error).message };
  }
}

async function hasAiperf(python: string): Promise<boolean> {
  const test =
    `from importlib.metadata import version as v; assert v("aiperf")=="${AIPERF_VERSION}"`;
  return (await run(python, ["-c", test], 60_000)).code === 0;
}

/**
 * The interpreter of a virtual environment that has AIPerf; it is made if it is not there.
 * @param folder of the environment
 * @returns its path, or why there is none
 */
export async function aiperfPython(
  folder: string,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const pythonIn = (folder: string): string => join(folder, "bin", "python");
  if (await hasAiperf(pythonIn(folder))) return { path: pythonIn(folder) };
  const base = await fittingPython();
  if (base === undefined) return { missing: "no Python from 3.11 to 3.13" };
  // Made under another name: an installation that was broken off must not be taken for a whole one.
  const own = `${folder}-${crypto.randomUUID()}`;
  try {
    const made = await run(base, ["-m", "venv", own], 60_000);
    if (made.code !== 0) return { missing: `no virtual environment: ${lastLine(made.stderr)}` };
    const installed = await run(pythonIn(own), [
      ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
      `aiperf==${AIPERF_VERSION}`,
    ], INSTALL_MS);
    if (installed.code !== 0) {
      return { missing: `it cannot be installed: ${lastLine(installed.stderr)}` };
    }
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(own, folder);
  } finally {
    await Deno.remove(own, { recursive: true }).catch(() => {});
  }
  return await hasAiperf(pythonIn(folder))
    ? { path: pythonIn(folder) }
    : { missing: "what was installed cannot be imported" };
}

async function fittingPython(): Promise<string | undefined> {
  for (const name of INTERPRETERS) {
    if ((await run(name, ["-c", FITS], 60_000)).code === 0) return name;
  }
  return undefined;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
