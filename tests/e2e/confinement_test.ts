/**
 * What the threads of a run cannot do, tried from inside of each, in executables or under
 * `deno run`.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { namesIn, withFolder } from "../support/artifacts.ts";
import { hasIpv6, type ListenerLog, listenerLog } from "../support/listener_log.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { PROBE_MAIN, runProbe } from "../support/run_probe.ts";
import { scriptedServer } from "../support/scripted_server.ts";
import { until } from "../support/until.ts";

/** Whether the executable is under test. */
const IS_EXECUTABLE = Deno.env.has("INFEROMETER_BINARY");
/** A variable that is none of ours, and its value, which must appear nowhere. */
const FOREIGN = { name: "FOREIGN_SECRET", value: "swordfish-7243" };
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Outcome {
  readonly attempt: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly reason: string;
}
type Outcomes = Readonly<Record<string, readonly Outcome[]>>;

/** A place to try things out in. */
interface Scene {
  /** `host:port` of the inference server of the run. */
  readonly target: string;
  /** `host:port` of the server whose metrics are read. */
  readonly metrics: string;
  /** Another server. Nobody may get there. */
  readonly other: ListenerLog;
  /** Another host at the port of the first. */
  readonly otherHost: ListenerLog | undefined;
  readonly otherIpv6: ListenerLog | undefined;
  /** The artifact folder, and one beside it with a file in it. */
  readonly artifacts: string;
  readonly outside: string;
}

async function withScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await using other = listenerLog();
    await using otherIpv6 = hasIpv6() ? listenerLog("::1") : undefined;
    const redirect = `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${other.port}/x\r\n` +
      "Content-Length: 0\r\n\r\n";
    using target = scriptedServer(({ reply }) => reply(redirect));
    using metrics = scriptedServer(({ reply }) => reply(redirect));
    // Only Linux has all of 127.0.0.0/8.
    await using otherHost = Deno.build.os === "linux"
      ? listenerLog("127.0.0.2", target.port)
      : undefined;
    const artifacts = `${folder}/artifacts`;
    const outside = `${folder}/outside`;
    await Deno.mkdir(artifacts);
    await Deno.mkdir(outside);
    await Deno.writeTextFile(`${outside}/file`, "outside\n");
    await test({
      target: `127.0.0.1:${target.port}`,
      metrics: `127.0.0.1:${metrics.port}`,
      other,
      otherHost,
      otherIpv6,
      artifacts: await Deno.realPath(artifacts),
      outside: await Deno.realPath(outside),
    });
  });
}

/** What no thread may do. */
function forbidden(scene: Scene): string[] {
  const { target, other, otherHost, otherIpv6, artifacts, outside } = scene;
  const away = `127.0.0.1:${other.port}`;
  const [, targetPort] = target.split(":") as [string, string];
  return [
    // Another port of the same host, by every way there is.
    `connect=${away}`,
    `tls=${away}`,
    `fetch=http://${away}/`,
    `websocket=ws://${away}/`,
    `import=http://${away}/module.js`,
    // The same port under another name, and of another host.
    `connect=localhost:${targetPort}`,
    `fetch=http://localhost:${targetPort}/`,
    ...(otherHost === undefined ? [] : [`connect=127.0.0.2:${targetPort}`]),
    `connect=localhost:${other.port}`,
    ...(otherIpv6 === undefined
      ? []
      : [`connect=[::1]:${otherIpv6.port}`, `fetch=http://[::1]:${otherIpv6.port}/`]),
    "connect=foreign.invalid:80",
    "fetch=http://foreign.invalid/",
    // A redirect from the server that may be reached.
    `fetch=http://${target}/redirect`,
    `fetch=http://${scene.metrics}/redirect`,
    "lookup=foreign.invalid",
    "resolve=foreign.invalid",
    `resolve-at=foreign.invalid@${away}`,
    "listen=127.0.0.1:0",
    ...(Deno.build.os === "windows" ? [] : [`unix=${outside}/socket`]),
    // Files.
    "read=/etc/passwd",
    `list=${Deno.env.get("HOME") ?? "/"}`,
    `list=${outside}`,
    `read=${outside}/file`,
    `read=${artifacts}/../outside/file`,
    `write=${outside}/new`,
    `write=${artifacts}/../outside/new`,
    `write=${artifacts}-sibling`,
    `mkdir=${outside}/folder`,
    `remove=${outside}/file`,
    `symlink=${outside}/file@${artifacts}/link`,
    ...(Deno.build.os === "linux" ? ["read=/proc/self/environ", "read=/proc/self/mem"] : []),
    // Programs, libraries, the environment, the machine.
    `run=${Deno.execPath()}`,
    "run=sh",
    `signal=${Deno.pid}`,
    `library=${outside}/file`,
    `variable=${FOREIGN.name}`,
    `variables=${FOREIGN.name}`,
    "system=hostname",
    "system=networkInterfaces",
  ];
}

/** What one kind of thread alone may do. */
function allowed(scene: Scene): Readonly<Record<string, readonly string[]>> {
  return {
    "main": [],
    "load worker": [`connect=${scene.target}`],
    "canary thread": [],
    "scrape worker": [`connect=${scene.metrics}`],
    "pacer": [],
    "live thread": [],
    "results worker": [`write=${scene.artifacts}/file`, `list=${scene.artifacts}`],
  };
}

async function probe(
  scene: Scene,
  attempts: readonly string[],
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcomes> {
  const { code, stdout, stderr } = await runProbe([
    ...["--url", `http://${scene.target}`, "--metrics-url", `http://${scene.metrics}`],
    ...["--artifact-dir", scene.artifacts, ...more, ...attempts],
  ], { ...env, [FOREIGN.name]: FOREIGN.value });
  assert.equal(code, 0, stderr);
  assert.ok(!(stdout + stderr).includes(FOREIGN.value));
  return JSON.parse(stdout);
}

/** Nothing arrived anywhere, and nothing changed. */
async function assertUntouched(scene: Scene): Promise<void> {
  assert.equal(await scene.other.count(), 0, "something reached the other port");
  assert.equal(await scene.otherHost?.count() ?? 0, 0, "something reached the other host");
  assert.equal(await scene.otherIpv6?.count() ?? 0, 0, "something reached it by IPv6");
  assert.deepEqual(await namesIn(scene.outside), ["file"]);
  assert.equal(await Deno.readTextFile(`${scene.outside}/file`), "outside\n");
  assert.deepEqual(await namesIn(scene.artifacts), []);
}

Deno.test("every thread of a run is refused everything but its job", async (t) => {
  await withScene(async (scene) => {
    const attempts = forbidden(scene);
    const mayDo = allowed(scene);
    const outcomes = await probe(scene, [...attempts, ...Object.values(mayDo).flat()]);
    assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(mayDo).sort());
    for (const [thread, tried] of Object.entries(outcomes)) {
      await t.step(thread, () => {
        const unexpected = tried.filter(({ attempt, outcome }) => {
          // An executable does not even know how to load code from elsewhere.
          if (IS_EXECUTABLE && attempt.startsWith("import=")) return outcome === "done";
          return outcome !== (mayDo[thread]?.includes(attempt) ? "done" : "refused");
        });
        assert.equal(tried.length, attempts.length + Object.values(mayDo).flat().length);
        assert.deepEqual(unexpected, []);
      });
    }
    await assertUntouched(scene);
  });
});

Deno.test("what threads are refused does work before main drops its permissions", async () => {
  await withScene(async (scene) => {
    const { other, otherIpv6, outside } = scene;
    const attempts = [
      `connect=127.0.0.1:${other.port}`,
      ...(otherIpv6 === undefined ? [] : [`connect=[::1]:${otherIpv6.port}`]),
      "read=/etc/passwd",
      `list=${outside}`,
      `write=${outside}/new`,
      "listen=127.0.0.1:0",
    ].filter((attempt) => Deno.build.os !== "windows" || !attempt.includes("/etc/"));
    const outcomes = await probe(scene, attempts, ["--control"]);
    assert.deepEqual(
      outcomes["main at the start"]?.filter(({ outcome }) => outcome !== "done"),
      [],
    );
    assert.equal(await other.count(), 1);
    assert.equal(await otherIpv6?.count() ?? 1, 1);
  });
});

Deno.test({
  name: "the executable has never been given programs, libraries, foreign variables",
  ignore: !IS_EXECUTABLE,
  async fn() {
    await withScene(async (scene) => {
      const attempts = [
        ...[`run=${Deno.execPath()}`, "run=sh", `library=${scene.outside}/file`],
        ...[`variable=${FOREIGN.name}`, `variables=${FOREIGN.name}`, "system=osRelease"],
        ...[`import=http://127.0.0.1:${scene.other.port}/module.js`, "read=/proc/self/environ"],
      ];
      const outcomes = await probe(scene, attempts, ["--control"]);
      const done = outcomes["main at the start"]?.filter(({ outcome }) => outcome === "done");
      assert.deepEqual(done, []);
      await assertUntouched(scene);
    });
  },
});

Deno.test("a server named by its name is reached by that name and its addresses alone", async () => {
  await withScene(async (scene) => {
    const port = scene.target.split(":")[1];
    const attempts = [
      `connect=localhost:${port}`,
      `connect=127.0.0.1:${port}`,
      ...(scene.otherHost === undefined ? [] : [`connect=127.0.0.2:${port}`]),
      `connect=localhost.foreign.invalid:${port}`,
      `connect=localhost:${scene.other.port}`,
    ];
    const outcomes = await probe({ ...scene, target: `localhost:${port}` }, attempts);
    const loads = outcomes["load worker"] as readonly Outcome[];
    assert.deepEqual(loads.slice(0, 2).map(({ outcome }) => outcome), ["done", "done"]);
    for (const { outcome, attempt } of loads.slice(2)) assert.equal(outcome, "refused", attempt);
    await assertUntouched(scene);
  });
});

Deno.test("variables of the environment widen nothing", async () => {
  await withScene(async (scene) => {
    const evil = `${scene.outside}/file`;
    const attempts = forbidden(scene);
    const outcomes = await probe(scene, attempts, [], {
      "DENO_NO_PROMPT": "0",
      "DENO_PERMISSIONS": "allow-all",
      "DENO_ALLOW_ALL": "1",
      "DENO_V8_FLAGS": "--allow-natives-syntax",
      "DENO_DIR": scene.outside,
      "DENO_TLS_CA_STORE": "system",
      "NODE_OPTIONS": `--require=${evil}`,
      "NODE_EXTRA_CA_CERTS": evil,
      "ALLOW_NET": "1",
    });
    for (const [thread, tried] of Object.entries(outcomes)) {
      const done = tried.filter(({ outcome }) => outcome === "done").map(({ attempt }) => attempt);
      assert.deepEqual(done, [], thread);
    }
    assert.equal(await scene.other.count(), 0);
  });
});

/** Starts a small benchmark while the runtime is told to export telemetry. */
function startWithTelemetry(port: number, url: string, folder: string): Deno.ChildProcess {
  return spawnCli([
    ...["profile", "--url", url, "--streaming", "--request-count", "4", "--osl", "4"],
    ...["--artifact-dir", `${folder}/artifacts`],
  ], {
    env: {
      "OTEL_DENO": "true",
      "OTEL_EXPORTER_OTLP_ENDPOINT": `http://127.0.0.1:${port}`,
      "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
      "OTEL_METRIC_EXPORT_INTERVAL": "100",
      "OTEL_BSP_SCHEDULE_DELAY": "100",
    },
  });
}

Deno.test({
  name: "the executable exports no telemetry, whatever OTEL_* say",
  ignore: !IS_EXECUTABLE,
  async fn() {
    await withFolder(async (folder) => {
      await using collector = listenerLog();
      using mock = await startLocalMock();
      const run = startWithTelemetry(collector.port, mock.url, folder);
      const { code, stderr } = await run.output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      assert.equal(await collector.count(), 0);
    });
  },
});

Deno.test({
  name: "under deno run a warning tells that OTEL_DENO passes by the permissions",
  ignore: IS_EXECUTABLE,
  async fn() {
    await withFolder(async (folder) => {
      using collector = scriptedServer(({ reply }) =>
        reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      );
      using mock = await startLocalMock();
      const run = startWithTelemetry(collector.port, mock.url, folder);
      await until("telemetry of the runtime", () => collector.connections > 0);
      // It is not waited for: at times, Deno does not end after it has exported.
      run.kill("SIGKILL");
      const { stderr } = await run.output();
      const text = new TextDecoder().decode(stderr);
      assert.match(text, /warning: OTEL_DENO is set: .* unset it\n/);
    });
  },
});

/** A command line as a shell reads it, with this Deno as `deno`. */
async function paste(line: string, folder: string) {
  const bin = `${folder}/bin`;
  await Deno.mkdir(bin, { recursive: true });
  await Deno.symlink(Deno.execPath(), `${bin}/deno`).catch(() => {});
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", line],
    cwd: ROOT,
    env: { "PATH": `${bin}:${Deno.env.get("PATH") ?? ""}`, "NO_COLOR": "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function printedCommand(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli([...args, "--print-deno-flags"], { cwd: ROOT });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^[^\n]+\n$/);
  return stdout.trimEnd();
}

/** The flags of a printed command, by their names. */
function flagsOf(line: string): Map<string, string> {
  const flags = [...line.matchAll(/ (?:'(--[^']+)'|(--\S+))/g)].map(([, a, b]) =>
    (a ?? b) as string
  );
  return new Map(flags.map((flag) => [flag.split("=")[0] as string, flag]));
}

Deno.test({
  name: "--print-deno-flags prints a command that confines the same run from its start",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await withFolder(async (folder) => {
      using mock = await startLocalMock();
      await using other = listenerLog();
      const directory = `${await Deno.realPath(folder)}/it's a folder`;
      const args = [
        ...["profile", "--url", mock.url, "--streaming", "--request-count", "4", "--osl", "4"],
        ...["--request-rate", "100", "--server-metrics-flush-period", "0"],
        ...["--artifact-dir", directory, "--keep"],
      ];
      const line = await printedCommand(args);

      await t.step("which names this server and this folder alone", () => {
        const flags = flagsOf(line);
        const [server, canaries, ...others] = flags.get("--allow-net")?.split(",") ?? [];
        assert.equal(server, `--allow-net=127.0.0.1:${mock.port}`);
        assert.deepEqual(others, []);
        // The port of this machine that the canary streams of the same command run over.
        const [, port] = /--canary-port (\d+)/.exec(line) ?? [];
        assert.equal(canaries, `127.0.0.1:${port}`);
        assert.ok(flags.has("--no-prompt"));
        for (const flag of ["--allow-all", "--allow-run", "--allow-ffi", "--allow-import"]) {
          assert.ok(!flags.has(flag), flag);
        }
      });
      await t.step("which works when it is pasted", async () => {
        const { code, stdout, stderr } = await paste(line, folder);
        assert.equal(code, 0, stderr);
        assert.equal(stderr, "");
        assert.match(stdout, /^latency +ms /m);
        const names = await namesIn(directory);
        assert.ok(names.includes("profile_export_aiperf.json"), names.join(" "));
      });
      await t.step("which works again when the next folder is due", async () => {
        const next = await printedCommand(args);
        assert.notEqual(next, line);
        const { code, stderr } = await paste(next, folder);
        assert.equal(code, 0, stderr);
        assert.deepEqual(await namesIn(`${directory}-2`), await namesIn(directory));
      });
      await t.step("which refuses main everything else from the start", async () => {
        const attempts = [
          ...[`connect=127.0.0.1:${other.port}`, `connect=localhost:${mock.port}`],
          ...["read=/etc/passwd", `write=${folder}/x`, "run=sh", "system=osRelease"],
          ...[`import=http://127.0.0.1:${other.port}/x.js`, "variable=SHELL", "variable=PATH"],
        ];
        const probed = line.replace(
          / \S*main\.ts profile .*$/,
          ` ${PROBE_MAIN} --control ${attempts.join(" ")}`,
        );
        assert.notEqual(probed, line);
        const { code, stdout, stderr } = await paste(probed, folder);
        assert.equal(code, 0, stderr);
        const outcomes = JSON.parse(stdout) as Outcomes;
        for (const { attempt, outcome } of outcomes["main at the start"] as readonly Outcome[]) {
          assert.equal(outcome, "refused", attempt);
        }
        assert.equal(await other.count(), 0);
      });
    });
  },
});

Deno.test({
  name: "--print-deno-flags lets main read what options name, and threads reach all servers",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      using mock = await startLocalMock();
      using other = await startLocalMock();
      const place = await Deno.realPath(folder);
      await Deno.writeTextFile(`${place}/prompts.jsonl`, '{"text":"Hello"}\n{"text":"World"}\n');
      await Deno.writeTextFile(
        `${place}/run.yaml`,
        `input-file: ${place}/prompts.jsonl\nserver-metrics: [${other.url}/metrics]\n`,
      );
      const line = await printedCommand([
        ...["profile", "--url", mock.url, "--config", `${place}/run.yaml`, "--request-count", "4"],
        ...["--server-metrics-flush-period", "0", "--artifact-dir", `${place}/artifacts`],
      ]);
      const flags = flagsOf(line);
      const net = flags.get("--allow-net")?.split(",") ?? [];
      const [, port] = /--canary-port (\d+)/.exec(line) ?? [];
      assert.deepEqual(net.toSorted(), [
        `--allow-net=127.0.0.1:${mock.port}`,
        ...[`127.0.0.1:${port}`, `127.0.0.1:${other.port}`].sort(),
      ]);
      assert.match(flags.get("--allow-read") ?? "", /run\.yaml,.*prompts\.jsonl/);
      const { code, stderr } = await paste(line, folder);
      assert.equal(code, 0, stderr);
      // The port that was printed may be another program's by now.
      const said = stderr.replace(
        /^warning: .* own error is not measured: Address already .*\n/m,
        "",
      );
      assert.match(said, /^note: \S+ detected format single-turn .*\n$/);
      assert.ok((await namesIn(`${place}/artifacts`)).includes("server_metrics_export.json"));
    });
  },
});

Deno.test({
  name: "under deno run one line names the permission that is missing",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await withFolder(async (folder) => {
      using mock = await startLocalMock();
      const directory = `${await Deno.realPath(folder)}/artifacts`;
      const line = await printedCommand(
        ["profile", "--url", mock.url, "--model", "m", "--request-count", "2", "--osl", "2"]
          .concat("--server-metrics-flush-period", "0", "--artifact-dir", directory),
      );
      const flags = flagsOf(line);
      for (const name of ["--allow-net", "--allow-read", "--allow-write"]) {
        await t.step(name, async () => {
          const flag = flags.get(name) as string;
          const without = line.replace(` ${flag}`, "");
          assert.notEqual(without, line);
          const { code, stderr } = await paste(without, folder);
          assert.equal(code, 2, stderr);
          assert.match(stderr, new RegExp(`^error: [^\n]*${name}[^\n]*\n$`));
        });
        await t.step(`${name} of something else`, async () => {
          const flag = flags.get(name) as string;
          const elsewhere = name === "--allow-net" ? "127.0.0.1:1" : `${folder}/x`;
          const { code, stderr } = await paste(
            line.replace(flag, `${name}=${elsewhere}`),
            folder,
          );
          assert.equal(code, 2, stderr);
          assert.match(stderr, new RegExp(`^error: [^\n]*${name}[^\n]*\n$`));
        });
      }
      for (const name of ["--allow-sys", "--allow-env"]) {
        await t.step(`${name} is no need`, async () => {
          const flag = flags.get(name) as string;
          const without = line.replace(` ${flag}`, "").replace(` '${flag}'`, "");
          assert.notEqual(without, line);
          const { code, stderr } = await paste(without, folder);
          assert.equal(code, 0, stderr);
          assert.equal(stderr, "");
          await Deno.remove(directory, { recursive: true });
        });
      }
    });
  },
});

Deno.test("the program has no probe, and the probe says what it can try", async () => {
  const { code, stderr } = await runCli(["confinement-probe"]);
  assert.equal(code, 2);
  assert.match(stderr, /unknown command/);
  const unknown = await runProbe(["nothing=1"]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /An attempt must be one of connect, /);
});
