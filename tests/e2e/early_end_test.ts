/** Runs that end before their time: with a reason, and with what was measured. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { ownAddress } from "../support/own_address.ts";
import { endOf, PROFILE, runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

const MANY = ["--streaming", "--isl", "10", "--request-count", "5000"];
const LOADS = [["--concurrency", "3"], ["--request-rate", "40"]];

/** Requests that may have been sent before the tenth reply is there, also on a busy machine. */
const MOST = 1000;

Deno.test("profile ends when its first ten requests are refused, and says why", async (t) => {
  const advice = new Map([
    [401, "check --api-key"],
    [403, "check --api-key"],
    [404, "check --url, --endpoint-type and --model"],
  ]);
  for (const [status, todo] of advice) {
    for (const load of LOADS) {
      await t.step(`${status}, ${load.join(" ")}`, () =>
        withFolder(async (folder) => {
          await using server = startRecordingServer({
            answer: () => Response.json({ "error": { "message": "not for you" } }, { status }),
          });
          const { code, stdout, stderr, artifacts } = await runProfile(folder, [
            ...["--url", server.url, "--model", "m", ...MANY, ...load],
          ]);
          assert.equal(code, 1);
          assert.ok(server.requests.length <= MOST, `${server.requests.length} requests`);
          const { json, records } = artifacts;
          if (status === 404) assert.match(json.ended_early, /asked for \/v1\/chat\/completions,/);
          assert.match(json.ended_early, /^the first 10 requests were all refused, .*not for you/);
          assert.ok(json.ended_early.endsWith(`(${todo})`));
          assert.equal(json.ended_early_reason, "all_refused");
          assert.equal(
            stderr,
            `warning: The run ends early: ${json.ended_early}\nerror: No request succeeded\n`,
          );
          assert.ok(json.notes.includes(`The run ended early: ${json.ended_early}`));
          assert.match(stdout, /ENDED EARLY, results\s+are partial/);
          assert.deepEqual([json.is_complete, json.was_cancelled], [false, false]);
          assert.equal(records.length, json.requests.sent);
          assert.equal(json.requests.failed, json.error_request_count.avg);
          assert.equal(json.requests.failed + json.requests.cancelled, records.length);
        }));
    }
  }
});

Deno.test("profile ends when nothing listens, in a warm-up as well", async (t) => {
  for (const load of LOADS) {
    await t.step(load.join(" "), () =>
      withFolder(async (folder) => {
        const { code, artifacts } = await runProfile(folder, [
          ...["--url", deadAddress(), "--model", "m", ...MANY, ...load],
        ]);
        assert.equal(code, 1);
        const { json, records } = artifacts;
        assert.match(json.ended_early, /refused .*\(start the server, or check --url\)$/);
        assert.equal(json.ended_early_reason, "all_refused");
        assert.ok(records.length <= MOST, `${records.length} requests`);
      }));
  }
  await t.step("in a warm-up", () =>
    withFolder(async (folder) => {
      await using server = startRecordingServer({
        answer: () => new Response("no", { status: 404 }),
      });
      const { code, stderr, artifacts } = await runProfile(folder, [
        ...["--url", server.url, "--model", "m", ...MANY, "--warmup-request-count", "500"],
      ]);
      assert.equal(code, 1);
      assert.match(stderr, /^warning: The run ends early: in the warm-up the first 10 requests/);
      assert.ok(server.requests.length <= MOST, `${server.requests.length} requests`);
      assert.match(artifacts.json.ended_early, /^in the warm-up the first 10 requests/);
      assert.equal(artifacts.json.requests.sent, 0, "nothing was profiled");
    }));
});

Deno.test("profile goes on when some requests are refused", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      answer: (_, number) => number % 3 === 2 ? undefined : new Response("no", { status: 404 }),
    });
    const { code, artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
      ...["--request-count", "60", "--concurrency", "1"],
    ]);
    assert.equal(code, 0);
    assert.deepEqual([artifacts.json.ended_early, artifacts.json.ended_early_reason], [null, null]);
    assert.equal(server.requests.length, 60);
  }));

Deno.test("profile ends when its server stays away, and keeps what it measured", () =>
  withFolder(async (folder) => {
    const server = startRecordingServer({ hostname: ownAddress() });
    const run = spawnCli([
      ...[...PROFILE, "--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
      ...["--benchmark-duration", "10m", "--concurrency", "4", "--artifact-dir", `${folder}/a`],
    ]);
    const result = endOf(run);
    await until("twenty requests", () => server.requests.length >= 20);
    await server[Symbol.asyncDispose]();
    const { code, stdout, stderr } = await result;
    assert.equal(code, 0, stderr);
    const path = `${folder}/a/profile_export_aiperf.json`;
    const text = await Deno.readTextFile(path);
    const json = JSON.parse(text);
    assert.match(
      json.ended_early,
      /^the server was unreachable for 1\d s, in \d+ attempts in a row, /,
    );
    assert.equal(json.ended_early_reason, "unreachable");
    assert.match(stderr, /^warning: The run ends early: the server was unreachable/);
    assert.ok(json.request_count.avg >= 20);
    // Four users who wait a second each at the end: not thousands of attempts.
    assert.ok(json.requests.failed <= 120, `${json.requests.failed} failures`);
    await Deno.remove(path);
    const again = await runCli(["report", `${folder}/a`]);
    assert.equal(again.stdout, stdout, "it can be reported again");
    assert.equal(await Deno.readTextFile(path), text);
  }));

Deno.test(
  "profile says when the machine or somebody stopped it",
  { ignore: Deno.build.os === "windows" },
  () =>
    withFolder(async (folder) => {
      await using server = startRecordingServer();
      const run = spawnCli([
        ...[...PROFILE, "--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
        ...["--benchmark-duration", "10m", "--request-rate", "50", "--artifact-dir", folder],
      ]);
      const result = endOf(run);
      await until("ten requests", () => server.requests.length >= 10);
      run.kill("SIGSTOP");
      // What is measured here is a stop of this length.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const before = server.requests.length;
      run.kill("SIGCONT");
      await until("ten more requests", () => server.requests.length >= before + 10);
      run.kill("SIGINT");
      const { stdout } = await result;
      const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
      const stopped = json.client_health.stalls.map(({ seconds }: { seconds: number }) => seconds);
      assert.ok(Math.max(...stopped) > 1, JSON.stringify(stopped));
      assert.match(
        json.notes.join("\n"),
        /The process was suspended \(machine or debugger\) .*for \d+\.\d s at \d+\.\d s/,
      );
      assert.match(json.client_health.problems.join("\n"), /the process stalled for \d/);
      assert.match(stdout, /note: The process was suspended \(machine or debugger\)/);
    }),
);
