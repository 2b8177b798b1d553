/** Variables that name a proxy do not lead a run past the servers of its command line. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { listenerLog } from "../support/listener_log.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";

Deno.test("profile asks for the model, sends and scrapes past no proxy of the environment", async () => {
  using mock = await startLocalMock();
  await using proxy = listenerLog();
  await withFolder(async (folder) => {
    const address = `http://127.0.0.1:${proxy.port}`;
    const proxies = { "HTTP_PROXY": address, "http_proxy": address, "ALL_PROXY": address };
    // The deno command itself looks for newer versions.
    const env = { ...proxies, DENO_NO_UPDATE_CHECK: "1" };
    const { code, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--request-count", "2", "--wait-for-model-timeout", "10m"],
      ...["--artifact-dir", `${folder}/run`, "--ui", "none", "--server-metrics-flush-period", "0"],
    ], { env });
    assert.equal(code, 0, stderr);
    assert.equal(await proxy.count(), 0);
    assert.equal((await mock.stats()).requests, 2);
  });
});

Deno.test("profile over fetch names the proxy before anything goes to it", async () => {
  await withFolder(async (folder) => {
    let stderr = "";
    const told = Promise.withResolvers<void>();
    // The first request is answered when the notice is there: it never is if it comes later.
    await using proxy = startRecordingServer({
      answer: () => told.promise.then(() => undefined),
    });
    const address = `http://user:pa55-w0rd@127.0.0.1:${proxy.port}`;
    const child = spawnCli([
      ...[...PROFILE, "--url", `http://${deadAddress()}`, "--model", "m"],
      ...["--request-count", "1", "--request-timeout-seconds", "20", "--transport", "fetch"],
      ...["--artifact-dir", `${folder}/run`, "--ui", "none"],
    ], {
      env: { "HTTP_PROXY": address, "ALL_PROXY": "", "NO_PROXY": "", "DENO_NO_UPDATE_CHECK": "1" },
    });
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += text;
      if (stderr.includes("\n")) told.resolve();
    }
    await child.stdout.cancel();
    const { code } = await child.status;
    assert.match(
      stderr,
      /^warning: Requests to 127[.\d]+:\d+ go through the proxy http:\/\/<redacted>@127\.0\.0\.1:\d+ of HTTP_PROXY\n/,
    );
    assert.ok(!stderr.includes("pa55"), stderr);
    assert.equal(code, 0, stderr);
    assert.equal(proxy.requests.length, 1);
  });
});

Deno.test("profile over fetch asks for no canary through the proxy, and has some all the same", async () => {
  await withFolder(async (folder) => {
    // It answers by itself, whatever it is asked for.
    await using proxy = startRecordingServer();
    const { code, stderr } = await runCli([
      ...[...PROFILE, "--url", `http://${deadAddress()}`, "--model", "m", "--request-count", "3"],
      ...["--transport", "fetch", "--artifact-dir", `${folder}/run`, "--ui", "none"],
      "--no-server-info",
    ], {
      env: {
        ...{ "HTTP_PROXY": `http://127.0.0.1:${proxy.port}`, "ALL_PROXY": "", "NO_PROXY": "" },
        DENO_NO_UPDATE_CHECK: "1",
      },
    });
    assert.equal(code, 0, stderr);
    const summary = JSON.parse(
      await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`),
    );
    assert.ok(summary.measurement_error.metrics.request_latency !== undefined);
    // They are read in another way than the replies.
    assert.equal(summary.measurement_error.verdict, "invalid");
    assert.match(summary.measurement_error.reasons.join(), /NO_PROXY/);
    assert.equal(proxy.requests.length, 3);
    assert.deepEqual(proxy.questions, []);
  });
});
