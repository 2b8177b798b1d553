/**
 * The executable on the machines of other people: pipes that close, no terminal, PID 1, a read-only
 * root, a user without rights. Runs only where INFEROMETER_BINARY names one.
 */

import assert from "node:assert/strict";
import denoConfig from "../../deno.json" with { type: "json" };
import { elfNeeds, glibcNeeded } from "../../scripts/compile/elf_needs.ts";
import { namesIn, readArtifacts, withFolder } from "../support/artifacts.ts";
import { type MockProcess, startMock } from "../support/mock_process.ts";
import { until } from "../support/until.ts";
import { works } from "../support/works.ts";

const BINARY = Deno.env.get("INFEROMETER_BINARY");
const EXECUTABLE = BINARY ?? "";
/** The oldest C library that it may need: Ubuntu 18.04, Debian 10, RHEL 8. */
const OLDEST_GLIBC = "2.27";
/** `nobody`. */
const NO_USER = 65_534;

/** Whether there is an executable, and a command with which it can be tested. */
function canUse(command: string, args: readonly string[]): boolean {
  return BINARY !== undefined && Deno.build.os === "linux" && works(command, args);
}

const HAS_SHELL = BINARY !== undefined && Deno.build.os !== "windows";
const HAS_PID_NAMESPACES = canUse("unshare", ["--pid", "--fork", "true"]);
const HAS_MOUNT_NAMESPACES = canUse("unshare", [
  ...["--mount", "sh", "-c", "mount -t tmpfs none /mnt && mount -o remount,ro,bind /"],
]);
const HAS_SETPRIV = canUse("setpriv", ["--reuid", String(NO_USER), "--clear-groups", "true"]);
const HAS_TASKSET = canUse("taskset", ["-c", "0", "true"]);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Settings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the environment holds nothing else. */
  readonly clearEnv?: boolean;
}

async function run(
  command: string,
  args: readonly string[],
  settings: Settings = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    ...settings,
    env: { ...settings.env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a line of shell in which `$0` is the executable. */
function shell(line: string, args: readonly string[] = [], settings?: Settings): Promise<Ended> {
  return run("sh", ["-c", line, EXECUTABLE, ...args], settings);
}

function profileArgs(url: string, more: readonly string[] = []): string[] {
  return [
    ...["profile", "--url", url, "--streaming", "--request-count", "4", "--osl", "4"],
    ...["--no-server-metrics", ...more],
  ];
}

function executableTest(
  name: string,
  fn: (t: Deno.TestContext) => Promise<void>,
  { needs = true }: { needs?: boolean } = {},
): void {
  Deno.test({ name: `executable: ${name}`, ignore: BINARY === undefined || !needs, fn });
}

/** With a server to measure, and a folder that is empty. */
function measuring(
  test: (mock: MockProcess, folder: string) => Promise<void>,
): () => Promise<void> {
  return () =>
    withFolder(async (folder) => {
      await using mock = await startMock();
      await test(mock, await Deno.realPath(folder));
    });
}

executableTest("knows what it was made of", async () => {
  const { code, stdout } = await run(EXECUTABLE, ["version", "--json"]);
  assert.equal(code, 0);
  const version = JSON.parse(stdout);
  assert.equal(version["version"], denoConfig.version);
  assert.match(version["commit"], /^([0-9a-f]{40}(-modified)?|unknown)$/);
  assert.match(version["date"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal((await run(EXECUTABLE, ["--version"])).stdout, `${denoConfig.version}\n`);
});

executableTest("needs no newer C library than it says", async () => {
  const needs = elfNeeds(await Deno.readFile(EXECUTABLE));
  assert.ok(needs.some(({ library }) => library === "libc.so.6"));
  assert.equal(glibcNeeded(needs), OLDEST_GLIBC);
}, { needs: Deno.build.os === "linux" });

executableTest(
  "runs from an empty folder with an empty environment, and writes nothing but its results",
  measuring(async (mock, folder) => {
    const { code, stderr } = await run(EXECUTABLE, profileArgs(mock.url, ["--model", "m"]), {
      cwd: folder,
      clearEnv: true,
    });
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.deepEqual(await namesIn(folder), ["artifacts"]);
    const [run1, ...others] = await namesIn(`${folder}/artifacts`);
    assert.deepEqual(others, []);
    assert.equal((await readArtifacts(`${folder}/artifacts/${run1}`)).records.length, 4);
  }),
);

executableTest(
  "leaves nothing in the home folder and the folder for temporary files",
  measuring(async (mock, folder) => {
    await Deno.mkdir(`${folder}/home`);
    await Deno.mkdir(`${folder}/tmp`);
    const home = { "HOME": `${folder}/home`, "XDG_CACHE_HOME": `${folder}/home` };
    for (let repeat = 0; repeat < 2; repeat++) {
      const args = profileArgs(mock.url, ["--artifact-dir", `${folder}/a`, "--overwrite"]);
      const { code, stderr } = await run(EXECUTABLE, args, {
        env: { ...home, "TMPDIR": `${folder}/tmp` },
      });
      assert.equal(code, 0, stderr);
    }
    assert.deepEqual(await namesIn(`${folder}/home`), []);
    assert.deepEqual(await namesIn(`${folder}/tmp`), []);
  }),
);

executableTest("does not mind a reader that has seen enough", async (t) => {
  for (const args of ["--version", "--help", "profile --help", "version --json"]) {
    await t.step(args, async () => {
      // The second reader ends without reading anything.
      for (const reader of ["head -n 1", "sleep 0"]) {
        const line = `{ "$0" ${args}; echo "code $?" >&2; } | ${reader}`;
        assert.equal((await shell(line)).stderr, "code 0\n", reader);
      }
    });
  }
}, { needs: HAS_SHELL });

executableTest(
  "writes all results although nobody reads what it prints",
  measuring(async (mock, folder) => {
    const args = profileArgs(mock.url, ["--artifact-dir", `${folder}/a`]);
    const { stderr } = await shell(`{ "$0" "$@"; echo "code $?" >&2; } | sleep 0`, args);
    assert.equal(stderr, "code 0\n");
    assert.equal((await readArtifacts(`${folder}/a`)).records.length, 4);
  }),
  { needs: HAS_SHELL },
);

executableTest("says in one line that its output cannot be written", async (t) => {
  for (const args of ["--version", "--help", "profile --help", "version --json"]) {
    await t.step(args, async () => {
      const { code, stderr } = await shell(`"$0" ${args} > /dev/full`);
      assert.equal(code, 1);
      assert.match(stderr, /^error: Cannot write to standard output: [^\n]*\n$/);
    });
  }
}, { needs: HAS_SHELL && Deno.build.os === "linux" });

executableTest(
  "runs with its standard streams closed, or full",
  measuring(async (mock, folder) => {
    const cases = ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"];
    for (const [index, streams] of cases.entries()) {
      const args = profileArgs(mock.url, [
        "--artifact-dir",
        `${folder}/${index}`,
        "--ui",
        "simple",
      ]);
      const { code } = await shell(`"$0" "$@" ${streams}`, args);
      assert.equal(code, 0, streams);
      const { records, json } = await readArtifacts(`${folder}/${index}`);
      assert.equal(records.length, 4, streams);
      // No file took the place of a stream.
      assert.equal(json["request_count"]["avg"], 4, streams);
    }
  }),
  { needs: HAS_SHELL && Deno.build.os === "linux" },
);

executableTest(
  "draws no screen where there is no terminal",
  measuring(async (mock, folder) => {
    const args = profileArgs(mock.url, ["--artifact-dir", `${folder}/a`]);
    for (const settings of [{}, { env: { "TERM": "xterm-256color", "COLUMNS": "80" } }]) {
      const { code, stdout, stderr } = await run(EXECUTABLE, [...args, "--overwrite"], settings);
      assert.equal(code, 0, stderr);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(stdout + stderr, /\u001b/);
      assert.equal(stderr, "");
    }
  }),
);

/** The process whose parent this is, as soon as there is one. */
function childOf(parent: number): Promise<number> {
  return until(`a child of process ${parent}`, async () => {
    const path = `/proc/${parent}/task/${parent}/children`;
    const child = Number((await Deno.readTextFile(path).catch(() => "")).trim().split(" ")[0]);
    return child > 0 && child;
  });
}

executableTest(
  "ends on SIGTERM as the first process of a container, with what it has measured",
  measuring(async (mock, folder) => {
    const directory = `${folder}/a`;
    const child = new Deno.Command("unshare", {
      args: [
        ...["--pid", "--fork", "--kill-child", EXECUTABLE, "profile", "--url", mock.url],
        ...["--streaming", "--osl", "4", "--benchmark-duration", "60", "--no-server-metrics"],
        ...["--artifact-dir", directory],
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await until("a record of the run", async () => {
      const { size } = await Deno.stat(`${directory}/profile_export.jsonl`)
        .catch(() => ({ size: 0 }));
      return size > 0;
    });
    Deno.kill(await childOf(child.pid), "SIGTERM");
    const { code, stderr } = await child.output();
    assert.equal(code, 143, new TextDecoder().decode(stderr));
    const { json, records } = await readArtifacts(directory);
    assert.equal(json["was_cancelled"], true);
    assert.ok(records.length > 0);
  }),
  { needs: HAS_PID_NAMESPACES },
);

executableTest(
  "mock ends on SIGTERM as the first process of a container",
  async () => {
    const child = new Deno.Command("unshare", {
      args: ["--pid", "--fork", "--kill-child", EXECUTABLE, "mock"],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /^listening on /);
    Deno.kill(await childOf(child.pid), "SIGTERM");
    assert.equal((await child.status).code, 0);
    await reader.cancel();
  },
  { needs: HAS_PID_NAMESPACES },
);

executableTest(
  "writes its results where only their folder can be written",
  measuring(async (mock, folder) => {
    await Deno.mkdir(`${folder}/results`);
    await Deno.mkdir(`${folder}/kept`);
    const args = profileArgs(mock.url, ["--artifact-dir", `${folder}/results/a`]);
    // Everything is read-only but two mounts; what lies in the first is gone afterwards.
    const script = `
      mount -t tmpfs none "${folder}/results" && mount --bind "${folder}/kept" "${folder}/kept" &&
      mount -o remount,ro,bind / || exit 99
      if touch "${folder}/file" 2>/dev/null; then exit 98; fi
      "$0" "$@" || exit $?
      cp -r "${folder}/results/a/." "${folder}/kept/"`;
    const { code, stderr } = await run("unshare", [
      "--mount",
      "sh",
      "-c",
      script,
      EXECUTABLE,
      ...args,
    ]);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.equal((await readArtifacts(`${folder}/kept`)).records.length, 4);
  }),
  { needs: HAS_MOUNT_NAMESPACES },
);

executableTest(
  "says which folder it cannot write where everything is read-only",
  measuring(async (mock, folder) => {
    const args = profileArgs(mock.url, ["--artifact-dir", `${folder}/a`]);
    const script = `mount -o remount,ro,bind / || exit 99; exec "$0" "$@"`;
    const { code, stderr } = await run("unshare", [
      "--mount",
      "sh",
      "-c",
      script,
      EXECUTABLE,
      ...args,
    ]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, new RegExp(`^error: Cannot write ${folder}/a: [^\n]*\n$`));
  }),
  { needs: HAS_MOUNT_NAMESPACES },
);

executableTest(
  "runs as a user who has no rights, no home and no name",
  measuring(async (mock, folder) => {
    // Where the executable lies, that user may not look.
    const copy = `${folder}/inferometer`;
    await Deno.copyFile(EXECUTABLE, copy);
    await Deno.chmod(folder, 0o755);
    await Deno.mkdir(`${folder}/results`);
    await Deno.chown(`${folder}/results`, NO_USER, NO_USER);
    const user = ["--reuid", String(NO_USER), "--regid", String(NO_USER), "--clear-groups"];
    const nobody = [...user, "--no-new-privs", copy];
    const { code, stderr } = await run("setpriv", [
      ...nobody,
      ...profileArgs(mock.url, ["--artifact-dir", `${folder}/results/a`]),
    ], { cwd: folder, clearEnv: true });
    assert.equal(code, 0, stderr);
    assert.equal((await readArtifacts(`${folder}/results/a`)).records.length, 4);
    const refused = await run("setpriv", [
      ...nobody,
      ...profileArgs(mock.url, ["--artifact-dir", `${folder}/a`]),
    ], { cwd: folder });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`^error: Cannot write ${folder}/a: [^\n]*\n$`));
  }),
  { needs: HAS_SETPRIV },
);

/** Load workers of a run of many requests, if nobody says how many. */
async function defaultWorkers(command: string, args: readonly string[]): Promise<number> {
  const { code, stdout, stderr } = await run(command, [
    ...[...args, EXECUTABLE, "profile", "--dry-run", "--url", "127.0.0.1:1", "--model", "m"],
    ...["--concurrency", "10000", "--no-server-metrics"],
  ]);
  assert.equal(code, 0, stderr);
  return Number(/load worker x (\d+)/.exec(stdout)?.[1]);
}

executableTest("starts as many threads as it may use processors", async () => {
  assert.equal(await defaultWorkers("taskset", ["-c", "0"]), 1);
}, { needs: HAS_TASKSET && navigator.hardwareConcurrency > 1 });

/** A control group of version 1 or 2 that limits its members to a share of the processors. */
async function withQuota(cores: number, test: (procs: string) => Promise<void>): Promise<boolean> {
  const name = `inferometer-${crypto.randomUUID()}`;
  for (
    const [root, write] of [
      ["/sys/fs/cgroup/cpu", { "cpu.cfs_quota_us": `${cores * 100_000}` }],
      ["/sys/fs/cgroup", { "cpu.max": `${cores * 100_000} 100000` }],
    ] as const
  ) {
    const folder = `${root}/${name}`;
    try {
      await Deno.mkdir(folder);
    } catch {
      continue;
    }
    try {
      for (const [file, text] of Object.entries(write)) {
        await Deno.writeTextFile(`${folder}/${file}`, text, { create: false });
      }
    } catch {
      await Deno.remove(folder);
      continue;
    }
    try {
      await test(`${folder}/cgroup.procs`);
    } finally {
      await Deno.remove(folder);
    }
    return true;
  }
  return false;
}

executableTest("starts as many threads as its container may use processors", async (t) => {
  const tested = await withQuota(1, async (procs) => {
    const script = `echo $$ > ${procs} && exec "$@"`;
    assert.equal(await defaultWorkers("sh", ["-c", script, "sh"]), 1);
  });
  // Only where control groups may be made.
  if (!tested) await t.step({ name: "no control group can be made", ignore: true, fn: () => {} });
}, { needs: Deno.build.os === "linux" && navigator.hardwareConcurrency > 1 });

executableTest(
  "says how many file descriptors a run needs where there are too few",
  async () => {
    const args = ["profile", "--url", "127.0.0.1:1", "--model", "m", "--concurrency", "500"];
    const { code, stderr } = await shell(`ulimit -n 256; exec "$0" "$@"`, args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: --concurrency: 500 connections need \d+ file descriptors/);
  },
  { needs: HAS_SHELL },
);
