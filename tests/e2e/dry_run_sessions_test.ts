import assert from "node:assert/strict";
import { runCli } from "../support/run_cli.ts";

/** A file of the examples. */
function example(name: string): string {
  return new URL(`../../docs/examples/${name}`, import.meta.url).pathname;
}

/** Output of a dry run with an input file. */
async function dryRun(name: string, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli([
    ...["profile", "--url", "http://127.0.0.1:1", "--model", "m", "--streaming"],
    ...["--input-file", example(name), "--dry-run", ...options],
  ]);
  assert.equal(code, 0, stderr);
  return stdout;
}

Deno.test("profile --dry-run has the totals of recorded agent sessions", async () => {
  const text = await dryRun("agents_weka.json");
  assert.match(text, /^ {2}sessions +10 calls of 3 agents in 1 session, depth up to 1, /m);
  assert.match(text, /^ +gaps between calls: 8\.90 s tool time, 0 s user time, 1 s agent time$/m);
  assert.match(text, /^ +ideal prefix cache: 60\.0 % of the input tokens, /m);
});

Deno.test("profile --dry-run has a rate of sessions where recorded sessions arrive at a rate", async () => {
  const text = await dryRun("agents_weka.json", "--session-rate", "2", "--concurrency", "4");
  assert.match(text, /^ {2}profiling +2 sessions\/s, poisson, at most 4 in progress$/m);
});

Deno.test("profile --dry-run has the sessions that fill the caches before the measurement", async () => {
  const options = ["--concurrency", "4", "--agentic-cache-warmup-duration", "60"];
  assert.match(
    await dryRun("agents_weka.json", ...options),
    /^ {2}caches +4 sessions in progress, 60 s, grace 60 s, replies of one token\n {2}profiling /m,
  );
});

Deno.test("profile --dry-run has no sessions where the input has none of agents", async () => {
  assert.doesNotMatch(await dryRun("agents_tools.jsonl"), /^ {2}sessions /m);
});
