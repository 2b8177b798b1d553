/** The readers that users of the files have: Python with pandas, pyarrow, Polars, and DuckDB. */

import assert from "node:assert/strict";

const SCRIPT = new URL("read_metrics_files.py", import.meta.url).pathname;
const PACKAGES = ["duckdb", "pandas", "polars", "pyarrow"];
const INSTALL_MS = 300_000;

/** An interpreter, or why there is none. */
export type Python =
  | { readonly path: string; readonly missing: undefined }
  | { readonly path: undefined; readonly missing: string };

let found: Promise<Python> | undefined;

/**
 * An interpreter that has the packages: the one that the variable INFEROMETER_TEST_PYTHON names, or
 * one of its own, which is made once for this machine.
 */
export function findPython(): Promise<Python> {
  return found ??= find();
}

async function find(): Promise<Python> {
  const named = Deno.env.get("INFEROMETER_TEST_PYTHON");
  if (named !== undefined) return await hasPackages(named) ?? { path: named, missing: undefined };
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/inferometer-test-python`;
  const path = `${folder}/bin/python`;
  if (await hasPackages(path) === undefined) return { path, missing: undefined };
  // Made under another name: several test files may want it at the same time.
  const own = `${folder}-${crypto.randomUUID()}`;
  try {
    await run("python3", ["-m", "venv", own]);
    await run(`${own}/bin/python`, [
      ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES],
    ]);
    // Another test file may have been quicker.
    if (await hasPackages(path) === undefined) await Deno.remove(own, { recursive: true });
    else {
      await Deno.remove(folder, { recursive: true }).catch(() => {});
      await Deno.rename(own, folder);
    }
  } catch (error) {
    await Deno.remove(own, { recursive: true }).catch(() => {});
    return { path: undefined, missing: `no Python with packages: ${(error as Error).message}` };
  }
  return await hasPackages(path) ?? { path, missing: undefined };
}

/** Undefined if an interpreter has the packages, else why it cannot be used. */
async function hasPackages(path: string): Promise<Python | undefined> {
  try {
    await run(path, ["-c", `import ${PACKAGES.join(", ")}`]);
    return undefined;
  } catch (error) {
    return { path: undefined, missing: (error as Error).message };
  }
}

/** Runs a program and returns what it prints. */
async function run(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    signal: AbortSignal.timeout(INSTALL_MS),
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    const lines = decoder.decode(stderr).trim().split("\n");
    throw new Error(`${command} ${args[0]} ${args[1]}: ${lines.at(-1)}`);
  }
  return decoder.decode(stdout);
}

/** Has Python read files, and returns what it found. */
// deno-lint-ignore no-explicit-any -- what the script prints
export async function readByPython(kind: "parquet" | "csv", ...paths: string[]): Promise<any> {
  const { path, missing } = await findPython();
  assert.ok(path !== undefined, missing);
  return JSON.parse(await run(path, [SCRIPT, kind, ...paths]));
}

/** Defines a test that needs Python; without it, the test's name says why it is ignored. */
export async function pythonTest(name: string, fn: () => Promise<void>): Promise<void> {
  const { missing } = await findPython();
  Deno.test({
    name: missing === undefined ? name : `${name} (ignored: ${missing})`,
    ignore: missing !== undefined,
    fn,
  });
}
