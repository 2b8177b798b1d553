/** The messages that `docs/troubleshooting.md` explains are those that the program prints. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";

const page = await Deno.readTextFile(new URL("../../docs/troubleshooting.md", import.meta.url));
/** First columns of the tables. */
const symptoms = [...page.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, text]) => text as string);

/** A server that refuses every request with a status. */
function refusing(status: number): { readonly url: string } & AsyncDisposable {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("refused", { status }),
  );
  return {
    url: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function outputOf(args: readonly string[]): Promise<{ code: number; text: string }> {
  let result = { code: -1, text: "" };
  await withFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli(
      ["profile", "--artifact-dir", `${folder}/run`, ...args],
      { cwd: folder, env: { ...NO_FLUSH } },
    );
    result = { code, text: (stdout + stderr).replace(/\s+/g, " ") };
  });
  return result;
}

async function explains(message: string, args: readonly string[]): Promise<void> {
  const { code, text } = await outputOf(args);
  assert.ok(code !== 0, text);
  assert.ok(text.includes(message), `${message}: ${text}`);
  assert.ok(symptoms.some((symptom) => symptom.includes(message)), message);
}

Deno.test("the page has at least twenty problems", () => {
  const problems = symptoms.filter((text) => !/^(?:-+|message|symptom)$/.test(text));
  assert.ok(problems.length >= 20, `${problems.length}`);
  assert.equal(new Set(problems).size, problems.length);
});

Deno.test("messages of runs that do not start are explained", async () => {
  await using key = refusing(401);
  await using path = refusing(404);
  const few = ["--model", "m", "--request-count", "10"];
  await explains("connection refused", ["--url", deadAddress(), "--request-count", "1"]);
  await explains("cannot be resolved", ["--url", "unknown-host.invalid:80", ...few]);
  await explains("HTTP 401", ["--url", key.url, ...few]);
  await explains("HTTP 404", ["--url", path.url, ...few]);
  await explains("The run ended early", ["--url", path.url, ...few]);
});

Deno.test("messages of wrong options and files are explained", async () => {
  const url = ["--url", deadAddress(), "--model", "m"];
  await explains("unknown option", [...url, "--concurency", "4"]);
  await explains("has no value without --streaming", [...url, "--slo", "ttft.p99<1s"]);
  await explains("File does not exist", [...url, "--input-file", "none.jsonl"]);
  await explains("is not a file and not in the cache", [
    ...[...url, "--tokenizer", "nobody/none", "--offline"],
  ]);
});

Deno.test("marks and verdicts of short runs and overload are explained", async () => {
  using mock = await startLocalMock(["--ttft", "20", "--slots", "1"]);
  const short = await outputOf(["--url", mock.url, "--streaming", "--request-count", "4"]);
  assert.ok(short.text.includes("NOT PUBLISHABLE: no steady state"), short.text);
  assert.ok(symptoms.some((symptom) => symptom.includes("NOT PUBLISHABLE: no steady state")));
  isExplained(short.text, "TOO SHORT");
  const over = await outputOf([
    ...["--url", mock.url, "--streaming", "--request-rate", "70", "--request-count", "350"],
  ]);
  isExplained(over.text, "OVERLOAD: served");
});

/** A machine that others use may well be the diagnosis itself; then that is explained. */
function isExplained(text: string, expected: string): void {
  const shown = [expected, "CLIENT-LIMITED", "STALLED"].find((words) => text.includes(words));
  assert.ok(shown !== undefined, text);
  assert.ok(symptoms.some((symptom) => symptom.includes(shown)), shown);
}
