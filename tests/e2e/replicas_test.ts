/** Replicas behind a router that names them in its replies: their misses are those of the other replica. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runCli } from "../support/run_cli.ts";

const REQUESTS = 40;

/** Sizes of the caches together. */
const PAGE = "# TYPE vllm:cache_config_info gauge\n" +
  'vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="4001"} 1\n';

/** Passes requests to servers in turn, and names these as SMG does. */
function startRouter(urls: readonly string[]): Deno.HttpServer<Deno.NetAddr> {
  let count = 0;
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST") {
      await request.body?.cancel();
      return pathname === "/metrics" ? new Response(PAGE) : new Response("", { status: 404 });
    }
    const url = urls[count++ % urls.length] as string;
    const reply = await fetch(url + pathname, {
      ...{ method: "POST", body: await request.text() },
      headers: { "content-type": "application/json" },
    });
    const type = reply.headers.get("content-type") ?? "";
    return new Response(reply.body, {
      headers: { "content-type": type, "x-smg-routed-worker-id": url },
    });
  });
}

Deno.test("tokens that only the other replica had cached are missed for that cause", () =>
  withFolder(async (folder) => {
    const cache = [
      "--prefix-cache",
      "--block-size",
      "16",
      "--cache-blocks",
      "2000",
      "--ttft",
      "2",
      "--itl",
      "1",
    ];
    using first = await startLocalMock(cache);
    using second = await startLocalMock(cache);
    await using router = startRouter([first.url, second.url]);
    const { code, stderr, stdout } = await runCli([
      ...["profile", "--url", `http://127.0.0.1:${router.addr.port}`, "--model", "mock-model"],
      // One at a time, so that nothing is concurrent.
      ...["--streaming", "--concurrency", "1", "--request-count", String(REQUESTS), "--isl", "40"],
      ...["--osl", "4", "--num-prefix-prompts", "3", "--prefix-prompt-length", "160"],
      ...["--artifact-dir", folder],
    ]);
    assert.equal(code, 0, stderr);
    const summary = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    const { hits, misses, queries } = summary["server_truth"].cache;
    assert.ok(misses["other_replica"] > 0, JSON.stringify(misses));
    assert.deepEqual([misses["evicted_at_most"], misses.concurrent], [0, 0]);
    const missed = Object.values<number>(misses).reduce((sum, tokens) => sum + tokens, 0);
    assert.equal(hits + missed, queries);
    assert.match(stdout.replaceAll(/\s+/g, " "), /missed, other replica \d/);
    const lines = (await Deno.readTextFile(`${folder}/profile_export.jsonl`)).trim().split("\n");
    const workers = lines.map((line) => JSON.parse(line).metadata["server_worker"]);
    assert.equal(new Set(workers).size, 2);
    assert.doesNotMatch(lines.join(), new RegExp(`server_worker[^,]*${new URL(first.url).port}`));
  }));
