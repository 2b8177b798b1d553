/** Variables that name a proxy do not lead a run past the servers of its command line. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { listenerLog } from "../support/listener_log.ts";
import { startMock } from "../support/mock_process.ts";
import { runCli } from "../support/run_cli.ts";

Deno.test("profile asks for the model, sends and scrapes past no proxy of the environment", async () => {
  await using mock = await startMock();
  await using proxy = listenerLog();
  await withFolder(async (folder) => {
    const address = `http://127.0.0.1:${proxy.port}`;
    const proxies = { "HTTP_PROXY": address, "http_proxy": address, "ALL_PROXY": address };
    // The deno command itself looks for newer versions.
    const env = { ...proxies, DENO_NO_UPDATE_CHECK: "1" };
    const { code, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--request-count", "2", "--wait-for-model-timeout", "5"],
      ...["--artifact-dir", `${folder}/run`, "--ui", "none"],
    ], { env });
    assert.equal(code, 0, stderr);
    assert.equal(await proxy.count(), 0);
    assert.equal((await mock.stats()).requests, 2);
  });
});
