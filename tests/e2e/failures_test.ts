/** What a run tells, leaves and returns when its surroundings fail. */

import assert from "node:assert/strict";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { ownAddress } from "../support/own_address.ts";
import { endOf, PROFILE, runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { cliCommand, type CliResult, runCli, spawnCli } from "../support/run_cli.ts";
import { CAN_MOUNT, withDisk } from "../support/small_disk.ts";
import { until } from "../support/until.ts";

const IS_UNIX = Deno.build.os !== "windows";

/** A message for users: one line, and not where in the code it arose. */
function assertOneLine({ stderr }: CliResult, pattern: RegExp): void {
  assert.match(stderr, pattern);
  assert.match(stderr, /^error: [^\n]+\n$/);
  assert.doesNotMatch(stderr, /\.ts:\d+/);
}

Deno.test("profile tells that nothing listens, and writes its files all the same", async (t) => {
  for (const load of [["--concurrency", "3"], ["--request-rate", "200"]]) {
    await t.step(load.join(" "), () =>
      withFolder(async (folder) => {
        const address = deadAddress();
        const { code, stdout, stderr, artifacts } = await runProfile(folder, [
          ...["--url", address, "--model", "m", "--streaming", "--isl", "10"],
          ...["--request-count", "8", ...load],
        ]);
        assert.equal(code, 1);
        assert.equal(stderr, "error: No request succeeded\n");
        const { json, records } = artifacts;
        assert.equal(records.length, 8);
        assert.ok(records.every(({ error }) => error?.kind === "connect"));
        assert.equal(json.error_request_count.avg, 8);
        assert.equal(json.request_count.avg, 0);
        assert.equal(json.total_error_isl.avg, 80);
        assert.equal(json.error_summary.length, 1);
        assert.equal(json.error_summary[0].error_details.kind, "connect");
        assert.match(stdout, new RegExp(`connect .*Cannot connect to ${address}.*refused`));
        assert.equal(json.time_to_first_token, undefined);
      }));
  }
});

Deno.test("profile does not start without a server to ask for the model", () =>
  withFolder(async (folder) => {
    const directory = `${folder}/run`;
    const result = await runCli([
      ...["profile", "--url", deadAddress(), "--artifact-dir", directory],
    ]);
    assert.equal(result.code, 1);
    assertOneLine(result, /connection refused; start the server, or name the model with --model/);
    await assert.rejects(Deno.stat(directory), Deno.errors.NotFound);
  }));

Deno.test("profile does not start when the server does not tell its model", async (t) => {
  const endless = () =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
    );
  const lists: Readonly<Record<string, [() => Response, RegExp]>> = {
    "an empty list": [() => Response.json({ "data": [] }), /lists no model: name the model/],
    "no JSON": [() => new Response("<html>"), /lists no model: name the model/],
    "a refusal": [() => new Response("", { status: 401 }), /returned HTTP 401; check --api-key/],
    "a list without an end": [endless, /it is longer than 16777216 bytes/],
  };
  for (const [name, [models, reason]] of Object.entries(lists)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        await using server = startRecordingServer({ models });
        const result = await runCli([
          ...["profile", "--url", server.url, "--artifact-dir", `${folder}/run`],
        ]);
        assert.equal(result.code, 1);
        assertOneLine(result, reason);
        await assert.rejects(Deno.stat(`${folder}/run`), Deno.errors.NotFound);
      }));
  }
});

Deno.test("profile does not start for a name that cannot be resolved", () =>
  withFolder(async (folder) => {
    const directory = `${folder}/run`;
    const result = await runCli([
      ...["profile", "--url", "http://no-such-host.invalid:8000", "--model", "m"],
      ...["--artifact-dir", directory],
    ]);
    assert.equal(result.code, 2);
    assertOneLine(result, /^error: --url: The host name no-such-host\.invalid cannot be resolved/);
    await assert.rejects(Deno.stat(directory), Deno.errors.NotFound);
  }));

/** Lines of a run that is going on. */
async function linesSoFar(folder: string): Promise<RecordLine[]> {
  const text = await Deno.readTextFile(`${folder}/profile_export.jsonl`).catch(() => "");
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

Deno.test("profile goes on while its server is away, and accounts for every request", async (t) => {
  for (const load of [["--concurrency", "4"], ["--request-rate", "80", "--concurrency", "8"]]) {
    await t.step(load.join(" "), () =>
      withFolder(async (folder) => {
        const hostname = ownAddress();
        const before = await startLocalMock(["--ttft", "5", "--itl", "5"], { hostname });
        const run = spawnCli([
          ...[...PROFILE, "--url", before.url, "--streaming", "--isl", "10", "--osl", "6"],
          ...["--benchmark-duration", "10m", "--artifact-dir", folder, ...load],
        ]);
        await until("twenty answers", async () => (await before.stats()).succeeded >= 20);
        before[Symbol.dispose]();
        const lost = await until("a failure is written", async () => {
          const lines = await linesSoFar(folder);
          return lines.some(({ error }) => error?.kind === "connect") && lines.length;
        });
        await using after = startRecordingServer({ hostname, port: before.port });
        await until("twenty more requests", () => after.requests.length >= 20);
        run.kill("SIGINT");
        const { code, stderr } = await endOf(run);
        assert.equal(code, 130, stderr);
        const { json, records } = await readArtifacts(folder);
        assert.equal(json.requests.sent, records.length);
        const { succeeded, failed, cancelled } = json.requests;
        assert.equal(succeeded + failed + cancelled, records.length);
        const late = records.slice(lost).filter(({ error }) => error === undefined);
        assert.ok(late.length >= 10, "requests succeed again");
        const kinds = new Set(records.map(({ error }) => error?.kind));
        kinds.delete(undefined);
        // Those under way when the run was ended may be cancelled.
        kinds.delete("cancelled");
        const allowed = new Set(["connect", "connection_closed", "truncated"]);
        assert.ok(kinds.isSubsetOf(allowed), [...kinds].join());
        assert.ok(kinds.has("connect"));
      }));
  }
});

Deno.test("profile's exit code follows --max-error-rate", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--faults", "500:0.5"]);
    const run = (name: string, ...args: string[]) =>
      runProfile(`${folder}/${name}`, [
        ...["--url", mock.url, "--streaming", "--request-count", "60", "--isl", "10", "--osl", "2"],
        ...args,
      ]);
    const strict = await run("strict", "--max-error-rate", "0.05");
    assert.equal(strict.code, 1);
    const reason = /\d+ of \d+ requests failed, more than --max-error-rate 0\.05 allows/;
    assert.match(strict.stderr, new RegExp(`error: The run was stopped: ${reason.source}\n$`));
    assert.match(strict.artifacts.json.ended_early, reason);
    assert.equal(strict.artifacts.json.ended_early_reason, "error_rate");
    const { sent } = strict.artifacts.json.requests;
    assert.ok(sent >= 20 && sent < 60, String(sent));
    const short = await run("short", "--max-error-rate", "0.05", "--request-count", "19");
    assert.equal(short.code, 1);
    assertOneLine(short, /\d+\.\d % of the requests failed, more than --max-error-rate 0\.05/);
    assert.equal((await run("lax", "--max-error-rate", "0.95")).code, 0);
    assert.equal((await run("default")).code, 0);
  }));

Deno.test("profile ends requests after --request-timeout-seconds", () =>
  withFolder(async (folder) => {
    const unanswered = new Set<string>();
    await using server = startRecordingServer({
      async answer({ headers, gone }, number) {
        if (number % 2 === 0) return undefined;
        unanswered.add(headers.get("x-request-id") as string);
        await gone;
        return undefined;
      },
    });
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
      ...["--request-count", "12", "--concurrency", "12", "--request-timeout-seconds", "2s"],
    ]);
    assert.equal(code, 0, stderr);
    const { json, records } = artifacts;
    assert.equal(records.length, 12);
    const late = records.filter(({ error }) => error !== undefined);
    assert.ok(unanswered.size > 0 && late.length < 12);
    const lateIds = new Set(late.map(({ metadata }) => metadata.x_request_id));
    assert.ok(unanswered.isSubsetOf(lateIds), "nobody waits for ever");
    for (const { error, metadata } of late) {
      assert.equal(error?.kind, "timeout");
      assert.equal(error?.message, "No complete reply within 2 s");
      assert.equal(metadata["was_cancelled"], false);
    }
    assert.equal(json.error_summary.length, 1);
  }));

Deno.test("profile waits for a server that comes up late", async (t) => {
  await t.step("refuses, then loads, then serves", () =>
    withFolder(async (folder) => {
      // Somebody who hangs up: proof that the client has begun to ask.
      const hostname = ownAddress();
      const listener = Deno.listen({ hostname, port: 0 });
      const { port } = listener.addr as Deno.NetAddr;
      const run = spawnCli([
        ...["profile", "--url", `${hostname}:${port}`, "--model", "m", "--artifact-dir", folder],
        ...["--wait-for-model-timeout", "10m", "--request-count", "3", "--no-server-info"],
      ]);
      (await listener.accept()).close();
      listener.close();
      let asked = 0;
      await using _server = startRecordingServer({
        hostname,
        port,
        models: () =>
          asked++ < 1
            ? new Response("loading", { status: 503 })
            : Response.json({ "data": [{ "id": "m" }] }),
      });
      const { code, stderr } = await endOf(run);
      assert.equal(code, 0, stderr);
      assert.equal((await readArtifacts(folder)).records.length, 3);
      assert.equal(asked, 2, "it asked until the model was there, and not again");
    }));
  await t.step("gives up in the end", () =>
    withFolder(async (folder) => {
      const result = await runCli([
        ...["profile", "--url", deadAddress(), "--model", "m"],
        ...["--wait-for-model-timeout", "600ms", "--artifact-dir", `${folder}/run`],
      ]);
      assert.equal(result.code, 1);
      assertOneLine(result, /is not ready within 0\.6 s: connection refused/);
      await assert.rejects(Deno.stat(`${folder}/run`), Deno.errors.NotFound);
    }));
});

/** A run that writes more than a small disk holds. */
const MUCH = ["--streaming", "--request-count", "150", "--concurrency", "8", "--isl", "300"];

Deno.test(
  "profile tells that the disk is full and leaves no half file",
  { ignore: !CAN_MOUNT },
  async (t) => {
    await using server = startRecordingServer();
    for (const size of ["300k", "64k", "16k", "4k"]) {
      await t.step(size, () =>
        withDisk(`size=${size}`, async (folder) => {
          const result = await runCli([
            ...["profile", "--url", server.url, "--model", "m", ...MUCH],
            ...["--artifact-dir", `${folder}/run`, "--export-level", "raw"],
          ]);
          assert.equal(result.code, 1);
          assert.match(result.stderr, /error: Cannot write .*: No space left on the device\n$/);
          assert.doesNotMatch(result.stderr, /\.ts:\d+/);
          for await (const { name, isFile } of Deno.readDir(`${folder}/run`)) {
            if (!isFile) continue;
            const text = await Deno.readTextFile(`${folder}/run/${name}`);
            if (name.endsWith(".jsonl")) {
              // A file of lines may be short, even empty, but has no half line.
              for (const line of text.split("\n").slice(0, -1)) JSON.parse(line);
              assert.ok(text === "" || text.endsWith("\n"), name);
            } else if (name.endsWith(".json")) JSON.parse(text);
            else assert.match(name, /\.(csv|txt)$/);
            assert.ok(text !== "" || name.endsWith(".jsonl"), `${name} is empty`);
          }
          assert.match(result.stdout, /^latency +ms /m, "what was measured is shown");
          // Files that have no room are not said to be there.
          const [, page, others] =
            /^files {3}\S+\/run\/(\S+\.html)?(?: and)? ?\(?(\d+) (?:files?|more)\)?$/m.exec(
              result.stdout.replace(/\n {2}/g, " "),
            ) ?? [];
          const there = (await Array.fromAsync(Deno.readDir(`${folder}/run`)))
            .filter(({ isFile }) => isFile).map(({ name }) => name);
          assert.equal(Number(others) + (page === undefined ? 0 : 1), there.length, `${there}`);
          // The shortest summary takes two blocks of four kilobytes, the run as much.
          if (size === "4k") return;
          const summary = JSON.parse(
            await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`),
          );
          assert.equal(summary.request_count.avg, 150);
          assert.deepEqual([summary.ended_early, summary.ended_early_reason], [null, "disk"]);
          assert.ok(summary.time_to_first_token.p99 > 0);
          const isShort = summary.notes.some((note: string) => /no room on the disk/.test(note));
          // What a run keeps of itself grows with the time that it takes: 64k may do, or not.
          if (size !== "64k") assert.equal(isShort, size === "16k");
        }));
    }
  },
);

Deno.test("profile does not start where it cannot write", async (t) => {
  const refuses = async (folder: string, reason: RegExp) => {
    await using server = startRecordingServer();
    const result = await runCli([
      ...["profile", "--url", server.url, "--model", "m", "--artifact-dir", folder],
    ]);
    assert.equal(result.code, 1);
    assertOneLine(result, reason);
    assert.equal(server.requests.length, 0, "nothing was sent");
  };
  await t.step("a file in the way", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await refuses(`${folder}/file/run`, /^error: Cannot write .*\/file\/run: Not a folder/);
      await refuses(`${folder}/file`, /^error: Cannot write .*\/file: Not a folder/);
    }));
  await t.step({
    name: "a read-only file system",
    ignore: !CAN_MOUNT,
    fn: () =>
      withDisk(
        "ro",
        (folder) => refuses(folder, /^error: Cannot write .*: The file system is read-only\n$/),
      ),
  });
  await t.step({
    name: "a folder without permission",
    ignore: !IS_UNIX || Deno.uid() === 0,
    fn: () =>
      withFolder(async (folder) => {
        await Deno.chmod(folder, 0o500);
        await refuses(`${folder}/run`, /^error: Cannot write .*: Permission denied\n$/);
        await Deno.chmod(folder, 0o700);
      }),
  });
});

/** Runs the program in a shell, as `$program` in a script. */
function inShell(script: string, args: readonly string[]): Promise<CliResult> {
  const [command, commandArgs] = cliCommand(args);
  return endOf(
    new Deno.Command("sh", {
      args: ["-c", script, "sh", command, ...commandArgs],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn(),
  );
}

Deno.test(
  "profile refuses more connections than it may open files",
  { ignore: !IS_UNIX },
  () =>
    withFolder(async (folder) => {
      await using server = startRecordingServer();
      const args = [
        "profile",
        "--url",
        server.url,
        "--model",
        "m",
        "--artifact-dir",
        `${folder}/run`,
      ];
      const result = await inShell(`ulimit -n 64; exec "$@"`, [...args, "--concurrency", "200"]);
      assert.equal(result.code, 2);
      assertOneLine(result, /--concurrency: 200 connections need (\d+) file descriptors/);
      const needed = /ulimit -n (\d+)/.exec(result.stderr)?.[1];
      const enough = await inShell(`ulimit -n ${needed}; exec "$@"`, [
        ...[...args, "--concurrency", "200", "--request-count", "400", "--isl", "10"],
      ]);
      assert.equal(enough.code, 0, enough.stderr);
      assert.match(enough.stdout, /^sent {4}400 requests, none failed, /m);
    }),
);

Deno.test(
  "profile names files that it could not open as its own fault, and writes its results",
  { ignore: !IS_UNIX },
  () =>
    withFolder(async (folder) => {
      const full = Promise.withResolvers<void>();
      await using server = startRecordingServer({
        // Replies wait until there are too many connections.
        async answer() {
          await full.promise;
          return undefined;
        },
      });
      const run = inShell(`ulimit -n 100; exec "$@"`, [
        ...[...PROFILE, "--url", server.url, "--model", "m", "--isl", "10"],
        ...["--request-rate", "200", "--request-count", "400", "--artifact-dir", folder],
      ]);
      await until("a file cannot be opened", async () => (await linesSoFar(folder)).length > 0);
      full.resolve();
      const { code, stdout, stderr } = await run;
      assert.equal(code, 0, stderr);
      const { json, records } = await readArtifacts(folder);
      const failed = records.filter(({ error }) => error !== undefined);
      assert.ok(failed.length > 0 && failed.every(({ error }) => error?.kind === "connect"));
      assert.equal(json.ended_early, null, "the server was there");
      const problem =
        `${failed.length} requests failed for lack of file descriptors; raise ulimit -n`;
      assert.ok(json.client_health.problems.includes(problem));
      assert.match(stdout, /client health: SUSPECT: .*lack\s+of\s+file\s+descriptors/s);
      assert.ok(JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`)).summary);
    }),
);

Deno.test("profile does not mind a reader who has seen enough", { ignore: !IS_UNIX }, async (t) => {
  await using server = startRecordingServer();
  const scripts = {
    "of one line": `{ "$@"; echo "code $?" >&2; } | head -n 1`,
    "of nothing": `{ "$@"; echo "code $?" >&2; } | true`,
    "of messages": `{ "$@"; echo "code $?" >&3; } 3>&1 2>&1 >/dev/null | head -n 1`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const { stdout, stderr } = await inShell(script, [
          ...["profile", "--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
          ...["--request-count", "20", "--artifact-dir", folder],
        ]);
        assert.match(stdout + stderr, /code 0/);
        assert.doesNotMatch(stdout + stderr, /error|\.ts:\d+/i);
        assert.equal((await readArtifacts(folder)).records.length, 20);
      }));
  }
});
