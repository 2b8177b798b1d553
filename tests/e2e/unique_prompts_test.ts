/** Which prompts a server gets more than once, through the whole program. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { type RecordingServer, startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

const RUN = [
  ...["profile", "--model", "m", "--isl", "40", "--osl", "3", "--tokenizer", "builtin"],
  ...["--no-server-metrics", "--no-canaries", "--streaming", "--overwrite"],
];

async function run(url: string, folder: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli([...RUN, "--url", url, "--artifact-dir", folder, ...args]);
  assert.equal(code, 0, stderr);
}

/** The first user message of each request, from a request on. */
function promptsOf({ requests }: RecordingServer, from = 0): string[] {
  return requests.slice(from).map(({ body }) => {
    const { messages } = JSON.parse(body);
    return messages.find(({ role }: { role: string }) => role === "user").content;
  });
}

/** As much of each text as a prefix cache of small blocks compares first. */
function beginnings(texts: readonly string[]): Set<string> {
  return new Set(texts.map((text) => text.split(" ").slice(0, 7).join(" ")));
}

function assertUnique(texts: readonly string[], least: number): void {
  assert.ok(texts.length >= least, `${texts.length} prompts`);
  assert.equal(beginnings(texts).size, texts.length);
}

Deno.test("a sweep, a search after it, and repeated runs send no text twice to a server", async () => {
  await using server = startRecordingServer();
  await withFolder(async (folder) => {
    const small = ["--request-count", "12", "--warmup-request-count", "3"];
    await run(server.url, `${folder}/sweep`, [
      ...[...small, "--concurrency", "1,3", "--num-profile-runs", "2"],
      ...["--no-profile-run-disable-warmup-after-first"],
    ]);
    assertUnique(promptsOf(server), 4 * 15);
    await run(server.url, `${folder}/search`, [
      ...[...small, "--search", "max-concurrency", "--slo", "latency.p50<60s"],
      ...["--concurrency-max", "4", "--search-max-iterations", "3"],
    ]);
    assertUnique(promptsOf(server), 4 * 15 + 2 * 15);
    await run(server.url, `${folder}/runs`, [...small, "--num-profile-runs", "3"]);
    assertUnique(promptsOf(server), 9 * 15);
  });
});

Deno.test("prompts that are used again begin with other words", async () => {
  await using server = startRecordingServer();
  await withFolder(async (folder) => {
    await run(server.url, folder, ["--benchmark-duration", "2", "--concurrency", "8"]);
    assertUnique(promptsOf(server), 16);
    // Drawn at random, some of 200 prompts are drawn more than once.
    const sent = server.requests.length;
    const random = ["--request-count", "200", "--dataset-sampling-strategy", "random"];
    await run(server.url, folder, [...random, "--concurrency", "4", "--random-seed", "3"]);
    const texts = promptsOf(server, sent);
    assertUnique(texts, 200);
    const rests = new Set(texts.map((text) => text.split(" ").slice(7).join(" ")));
    assert.ok(rests.size < 200, "what follows comes from a pool");
    const turns = server.requests.length;
    const sessions = ["--num-sessions", "10", "--session-turns-mean", "2"];
    await run(server.url, folder, sessions);
    const all = server.requests.slice(turns).map(({ body }) =>
      JSON.parse(body).messages.at(-1).content
    );
    assertUnique(all, 20);
  });
});

Deno.test("texts beside images begin with other words when an image is sent again", async () => {
  await using server = startRecordingServer();
  await withFolder(async (folder) => {
    await run(server.url, folder, [
      ...["--request-count", "40", "--dataset-sampling-strategy", "random"],
      ...["--image-width-mean", "8", "--image-height-mean", "8"],
    ]);
    const contents = server.requests.map(({ body }) => JSON.parse(body).messages[0].content);
    const partsOf = (type: string) =>
      contents.map((content) => content.find((part: { type: string }) => part.type === type));
    assertUnique(partsOf("text").map(({ text }) => text), 40);
    assert.ok(new Set(partsOf("image_url").map(({ image_url: { url } }) => url)).size < 40);
  });
});

Deno.test("both sides of --ab get the same prompts, and each block others", async () => {
  await using a = startRecordingServer();
  await using b = startRecordingServer();
  await withFolder(async (folder) => {
    const { code, stderr } = await runCli([
      ...[...RUN, "--artifact-dir", folder, "--ab", a.url, b.url, "--request-count", "20"],
      ...["--ab-blocks", "2"],
    ]);
    assert.equal(code, 0, stderr);
    assertUnique(promptsOf(a), 20);
    assert.deepEqual(promptsOf(b), promptsOf(a));
  });
});

Deno.test("the same seed sends the same prompts, from any number of threads and shards", async () => {
  await using server = startRecordingServer();
  await withFolder(async (folder) => {
    const sentBy = async (args: readonly string[]): Promise<string[]> => {
      const from = server.requests.length;
      const base = ["--request-count", "24", "--concurrency", "4", "--random-seed", "5"];
      await run(server.url, folder, [...base, ...args]);
      return promptsOf(server, from);
    };
    const whole = (await sentBy(["--workers", "1"])).sort();
    assertUnique(whole, 24);
    assert.deepEqual((await sentBy(["--workers", "2"])).sort(), whole);
    const shards = [...await sentBy(["--shard", "0/2"]), ...await sentBy(["--shard", "1/2"])];
    assert.deepEqual(shards.sort(), whole);
    const other = await sentBy(["--random-seed", "6"]);
    assert.equal(beginnings([...whole, ...other]).size, 48);
    // Repeated runs of a seed repeat its prompts; points of a sweep have seeds in sequence.
    const runs = await sentBy(["--num-profile-runs", "2"]);
    assert.deepEqual(runs.slice(24).sort(), whole);
    const points = await sentBy(["--concurrency", "1,4"]);
    assertUnique(points, 48);
    assert.deepEqual(points.slice(0, 24).sort(), whole);
  });
});

Deno.test("a number of entries and AIPerf's defaults send prompts again as they are", async () => {
  await using server = startRecordingServer();
  await withFolder(async (folder) => {
    await run(server.url, folder, ["--request-count", "12", "--num-dataset-entries", "5"]);
    assert.equal(new Set(promptsOf(server)).size, 5);
    const from = server.requests.length;
    await run(server.url, folder, [
      ...["--defaults", "aiperf", "--benchmark-duration", "2", "--concurrency", "8"],
    ]);
    const texts = promptsOf(server, from);
    assert.equal(new Set(texts).size, Math.min(100, texts.length));
  });
});
