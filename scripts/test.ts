// deno-lint-ignore-file no-console
/**
 * Runs the tests: `deno run --allow-all scripts/test.ts [unit | e2e] [--filter WORDS] [--jobs N]
 * [--list]`
 *
 * The runner gives each module a thread with an engine of its own, where everything it imports is
 * loaded, compiled and warmed up again: with hundreds of test files that is two fifths of their time.
 * So files are gathered in a few modules of about equal size, which the runner's threads take from a
 * queue: the modules are several times as many as the threads, so no thread is idle for long at the
 * end, however long a file takes. Each file can be run by itself as well:
 * `deno test --allow-all FILE`.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourceFiles } from "./compile/source_files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TESTS = join(ROOT, "tests");
const FOLDER = join(ROOT, "dist/test_batches");
/** Rooms whose tests run the whole program, which waits for half of their time. */
const PROGRAM_ROOMS = ["docs", "e2e"];
const CORES = navigator.hardwareConcurrency;
/** Batches of each kind. More of them load more modules, fewer leave cores idle at the end. */
const BATCHES = { e2e: 6 * CORES, unit: 4 * CORES };
/**
 * Threads: tests of the whole program wait for their processes. Three threads per core take a fifth
 * more CPU time for the same tests, as more of them share caches.
 */
const JOBS = 2 * CORES;

type Kind = keyof typeof BATCHES;
const KINDS = Object.keys(BATCHES) as Kind[];

/** Test files that run in one module. */
export interface Batch {
  readonly name: string;
  readonly files: readonly string[];
  /** Size of the files: long files hold many tests. */
  readonly bytes: number;
}

function kindOf(file: string): Kind {
  return PROGRAM_ROOMS.includes(file.split("/", 1)[0] as string) ? "e2e" : "unit";
}

type Share = Omit<Batch, "name">;

/**
 * Returns each file as a share. Unit tests that start the program are one share, as each batch that
 * starts it keeps a program of its own.
 */
async function sharesOf(kind: Kind, files: readonly string[]): Promise<Share[]> {
  const shares: Share[] = [];
  const starting: Share[] = [];
  for (const file of files) {
    const text = await Deno.readTextFile(join(TESTS, file));
    const startsProgram = kind === "unit" && text.includes("support/run_cli.ts");
    (startsProgram ? starting : shares).push({ files: [file], bytes: text.length });
  }
  return starting.length > 0 ? [joinedShare(starting), ...shares] : shares;
}

function joinedShare(shares: readonly Share[]): Share {
  return {
    files: shares.flatMap(({ files }) => files),
    bytes: shares.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Returns the shares of a kind as batches: each share, from the largest, joins the smallest batch. */
function batchesOf(kind: Kind, shares: readonly Share[]): Batch[] {
  const batches = Array.from({ length: BATCHES[kind] }, (): Share => ({ files: [], bytes: 0 }));
  // Shares of equal size keep the order of their names.
  for (const share of shares.toSorted((a, b) => b.bytes - a.bytes)) {
    const least = batches.reduce(
      (least, { bytes }, index) => bytes < (batches[least] as Share).bytes ? index : least,
      0,
    );
    batches[least] = joinedShare([batches[least] as Share, share]);
  }
  return batches.filter(({ files }) => files.length > 0)
    .toSorted((a, b) => b.bytes - a.bytes)
    .map((batch, index) => ({ name: `${kind}_${index + 1}`, ...batch }));
}

/** All files of tests of these kinds, by their paths in the folder of tests, as batches. */
export async function testBatches(kinds: readonly Kind[] = KINDS): Promise<Batch[]> {
  const files = (await sourceFiles(TESTS)).filter((path) => path.endsWith("_test.ts"))
    .map((path) => relative(TESTS, path));
  const batches = kinds.map(async (kind) =>
    batchesOf(kind, await sharesOf(kind, files.filter((file) => kindOf(file) === kind)))
  );
  return (await Promise.all(batches)).flat();
}

/** Writes the batches as modules, and returns their paths. */
async function writeBatches(batches: readonly Batch[]): Promise<string[]> {
  await Deno.mkdir(FOLDER, { recursive: true });
  return await Promise.all(batches.map(async ({ name, files }) => {
    const path = join(FOLDER, `${name}_test.ts`);
    const imports = files.toSorted().map((file) => `import "../../tests/${file}";\n`);
    await Deno.writeTextFile(path, imports.join(""));
    return path;
  }));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      jobs: { type: "string" },
      list: { type: "boolean" },
    },
  });
  const unknown = positionals.find((word) => !KINDS.includes(word as Kind));
  if (unknown !== undefined) {
    console.error(`error: "${unknown}" is no kind of tests: expected ${KINDS.join(" or ")}`);
    Deno.exit(2);
  }
  const kinds = KINDS.filter((kind) => positionals.length === 0 || positionals.includes(kind));
  const batches = await testBatches(kinds);
  if (values.list === true) {
    for (const { name, files, bytes } of batches) console.log(name, bytes, files.join(" "));
    Deno.exit(0);
  }
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--allow-all", "--no-check", "--parallel", "--quiet"],
      ...(values.filter === undefined ? [] : ["--filter", values.filter]),
      ...await writeBatches(batches),
    ],
    cwd: ROOT,
    env: { "DENO_JOBS": values.jobs ?? String(JOBS) },
  }).spawn().status;
  Deno.exit(code);
}
