// deno-lint-ignore-file no-console
/**
 * Makes the executable twice and checks it: `deno run --allow-all scripts/check_executable.ts
 * [--denort DIR] [--skip-e2e | --arm64]`
 *
 * The two must be the same byte for byte, small, and quick to start; end-to-end tests must pass
 * against it, from an empty folder with an empty environment. `--arm64` does none of this: it
 * compiles the executable for arm64 and makes a short run with it in an emulator.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./bench/median.ts";
import { compileAll } from "./compile.ts";
import {
  compileExecutable,
  type Compiler,
  findCompiler,
  findRuntime,
} from "./compile/compile_executable.ts";
import { compileProbe } from "./compile/compile_probe.ts";
import { elfNeeds, glibcNeeded } from "./compile/elf_needs.ts";
import { FirstRequestServer } from "./compile/first_request_server.ts";
import { type CompileTarget, hostTarget, targetsOf } from "./compile/targets.ts";
import { greetedUrl, startGreetingProcess } from "./process/greeting_process.ts";
import { programOutput } from "./process/program_output.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What the program may add to the bare runtime. */
const MAX_ADDED_BYTES = 8e6;
/** Starts of which the median counts. */
const REPEATS = 9;
/**
 * What starts may take, in milliseconds, on an idle machine; and how many times as long on one that
 * is busy, before something must be wrong.
 */
const TARGETS_MS = { version: 60, help: 90, firstRequest: 200 };
const PATIENCE = 10;
const EMULATOR = "qemu-aarch64-static";
const EMULATED_ROOT = "/usr/aarch64-linux-gnu";

/** Something that is not as it should be. */
class CheckError extends Error {
  override readonly name = "CheckError";
}

function ensure(condition: boolean, message: string): void {
  if (!condition) throw new CheckError(message);
}

async function compileFor(
  target: CompileTarget,
  denortFolder: string | undefined,
  outputFolder: string,
): Promise<string> {
  const { paths } = await compileAll({ targets: [target], denortFolder, outputFolder });
  return paths[0] as string;
}

/** Compiles twice, in different folders, and returns the executable. */
async function checkReproducible(
  target: CompileTarget,
  denortFolder: string | undefined,
  work: string,
): Promise<string> {
  const compileTwice = async (): Promise<[string, boolean]> => {
    const first = await compileFor(target, denortFolder, join(work, "first"));
    const second = await compileFor(target, denortFolder, join(work, "second"));
    const [a, b] = await Promise.all([Deno.readFile(first), Deno.readFile(second)]);
    await Deno.remove(second);
    return [first, a.length === b.length && a.every((byte, index) => byte === b[index])];
  };
  const [path, same] = await compileTwice();
  // A commit may have come in between.
  const isReproducible = same || (await compileTwice())[1];
  ensure(isReproducible, "Two executables of the same sources differ");
  console.log(`same bytes twice: ${path}`);
  return path;
}

async function checkSize(
  executable: string,
  target: CompileTarget,
  compiler: Compiler,
  work: string,
): Promise<void> {
  const folder = join(work, "bare");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "main.js"), "");
  const output = join(folder, "bare");
  await compileExecutable({ target, folder, files: ["main.js"], compiler, output });
  const { size: bareBytes } = await Deno.stat(output);
  const { size } = await Deno.stat(executable);
  const added = size - bareBytes;
  console.log(`size: ${megabytes(size)}, ${megabytes(added)} more than the bare runtime`);
  ensure(added <= MAX_ADDED_BYTES, `That is more than ${megabytes(MAX_ADDED_BYTES)}`);
  console.log(`empty program: ${(await medianStart(output, [])).toFixed(0)} ms`);
}

async function checkStarts(executable: string, work: string): Promise<void> {
  const version = await medianStart(executable, ["--version"]);
  const help = await medianStart(executable, ["--help"]);
  using server = new FirstRequestServer();
  const requests: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const startMs = performance.now();
    const arrived = server.nextRequest();
    const child = new Deno.Command(executable, {
      args: [
        ...["profile", "--url", server.url, "--model", "m", "--streaming", "--request-count", "1"],
        ...["--no-server-metrics", "--overwrite", "--artifact-dir", join(work, "artifacts")],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    requests.push(await arrived - startMs);
    ensure((await child.status).success, "A short run failed");
  }
  const measured = { version, help, firstRequest: median(requests) };
  for (const [name, targetMs] of Object.entries(TARGETS_MS)) {
    const ms = measured[name as keyof typeof measured];
    console.log(`${name}: ${ms.toFixed(0)} ms (idle machine: at most ${targetMs})`);
    ensure(ms < targetMs * PATIENCE, `${name} takes far too long`);
  }
}

async function medianStart(executable: string, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const startMs = performance.now();
    await programOutput(executable, args);
    times.push(performance.now() - startMs);
  }
  return median(times);
}

/**
 * End-to-end tests of what an executable may do otherwise than the bundled sources, which all of
 * them were run with before: its runtime is another version's, its permissions are built in, and
 * its files are embedded. What is computed and written is the same code: arrivals and phases, sessions,
 * what stands in bundles, and what is taken out of texts.
 */
const REPEATED = [
  ...["client_certificate", "confinement", "executable", "gates", "live", "merge"],
  ...["outputs", "proxy", "public_dataset", "report", "scrape"],
  ...["server_metrics", "shards", "signals", "sweeps", "systems", "terminal", "tls", "tokenizer"],
  ...["truth"],
];

/** Runs end-to-end tests against the executable. */
async function checkEndToEnd(
  executable: string,
  target: CompileTarget,
  compiler: Compiler,
  work: string,
): Promise<void> {
  const probe = join(work, "probe");
  await compileProbe(ROOT, { target, compiler, output: probe });
  const folder = join(work, "empty");
  await Deno.mkdir(folder);
  const needed = [
    "PATH",
    "HOME",
    "DENO_DIR",
    "DENO_JOBS",
    "TMPDIR",
    "USERPROFILE",
    "LOCALAPPDATA",
    "SYSTEMROOT",
  ];
  const env = needed.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--allow-all", "--parallel", "--quiet", "--no-check", "--config"],
      join(ROOT, "deno.json"),
      ...REPEATED.map((name) => join(ROOT, `tests/e2e/${name}_test.ts`)),
    ],
    cwd: folder,
    clearEnv: true,
    env: {
      ...Object.fromEntries(env),
      "INFEROMETER_BINARY": executable,
      "CONFINEMENT_PROBE": probe,
    },
    stdin: "null",
  }).spawn().status;
  ensure(success, "The end-to-end tests fail against the executable");
}

/** A short run of the executable for arm64, against the mock server of the one for this machine. */
async function checkArm64(executable: string, compiler: Compiler, work: string): Promise<void> {
  const [target] = targetsOf(["linux-arm64"]) as [CompileTarget];
  const emulator = await programOutput(EMULATOR, ["--version"]).catch(() => undefined);
  const hasLibrary = await Deno.stat(`${EMULATED_ROOT}/lib/libc.so.6`).catch(() => undefined);
  if (emulator === undefined || hasLibrary === undefined) {
    console.log(`arm64: skipped, there is no ${EMULATOR} with ${EMULATED_ROOT}`);
    return;
  }
  try {
    await findRuntime(compiler, target);
  } catch (error) {
    console.log(`arm64: skipped. ${(error as Error).message}`);
    return;
  }
  const path = await compileFor(target, compiler.denortFolder, join(work, "arm64"));
  console.log(`arm64 needs glibc ${glibcNeeded(elfNeeds(await Deno.readFile(path)))}`);
  await using mock = await startGreetingProcess(executable, ["mock"]);
  const url = greetedUrl(mock.greeting);
  const directory = join(work, "artifacts-arm64");
  const startMs = performance.now();
  await programOutput(EMULATOR, [
    ...["-L", EMULATED_ROOT, path, "profile", "--url", url, "--streaming", "--osl", "4"],
    ...["--concurrency", "2", "--request-count", "6", "--artifact-dir", directory],
  ]);
  const lines = (await Deno.readTextFile(join(directory, "profile_export.jsonl"))).trim();
  const records = lines.split("\n").length;
  ensure(records === 6 && !lines.includes('"error"'), `The run on arm64 has ${records} records`);
  const seconds = (performance.now() - startMs) / 1000;
  console.log(`arm64: a run of 6 requests in ${seconds.toFixed(0)} s, emulated`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "denort": { type: "string" },
      "skip-e2e": { type: "boolean" },
      "arm64": { type: "boolean" },
    },
  });
  const work = await Deno.makeTempDir({ prefix: "inferometer-check-" });
  try {
    const compiler = await findCompiler(values.denort);
    const [target] = targetsOf([hostTarget()]) as [CompileTarget];
    console.log(`compiling with Deno ${compiler.version} for ${target.name}`);
    if (values.arm64 === true) {
      const native = await compileFor(target, values.denort, join(work, "native"));
      await checkArm64(native, compiler, work);
      return 0;
    }
    const executable = await checkReproducible(target, values.denort, work);
    await checkSize(executable, target, compiler, work);
    await checkStarts(executable, work);
    if (target.os === "linux") {
      console.log(`needs glibc ${glibcNeeded(elfNeeds(await Deno.readFile(executable)))}`);
    }
    if (values["skip-e2e"] !== true) await checkEndToEnd(executable, target, compiler, work);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !/^(CheckError|CompileError)$/.test(error.name)) throw error;
    console.error(`error: ${error.message}`);
    return 1;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main());
