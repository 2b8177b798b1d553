// deno-lint-ignore-file no-control-regex
/** No file and no screen holds a control character of a server or of an input file. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { type Answer, eventStream, startRecordingServer } from "../support/recording_server.ts";
import { type CliResult, runCli } from "../support/run_cli.ts";
import { scriptedServer } from "../support/scripted_server.ts";
import { until } from "../support/until.ts";

/** Ends a title, clears the screen, deletes, begins a sequence in one character, rings, is nothing. */
const HOSTILE = "a\x1b]0;t\x07b\x1b[2Jc\x7fd\u009b31me\u0085f\x00g\x08h\u0090i";
/** The same, as far as JSON may hold it between quotes. */
const IN_JSON = HOSTILE.replaceAll(
  /[\x00-\x1f]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

/** Control characters but tab, line feed and carriage return. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

const PAGE = `# HELP vllm:num_requests_running ${HOSTILE}
# TYPE vllm:num_requests_running gauge
# UNIT vllm:num_requests_running ${HOSTILE}
vllm:num_requests_running{model_name="${HOSTILE}",engine="1"} 1
vllm:num_requests_running{model_name="${HOSTILE}2",engine="2"} 2
{"${HOSTILE}","${HOSTILE}"="${HOSTILE}"} 3
# TYPE x info
x_info{v="${HOSTILE}"} 1
# EOF
`;

const ANSWERS: readonly Answer[] = [
  () => new Response(HOSTILE, { status: 500 }),
  () => new Response(`{"error":{"message":"${IN_JSON}","type":"${IN_JSON}"}}`, { status: 400 }),
  () => eventStream(`data: ${HOSTILE.replaceAll("\n", "")}\n\n`),
  () => eventStream(`data: {"error":{"message":"${IN_JSON}"}}\n\n`),
  () =>
    eventStream(
      `: ${HOSTILE}\n\nevent: ${HOSTILE}\ndata: x\n\ndata: {"id":"${IN_JSON}","choices":[{"index":0,` +
        `"delta":{"content":"${IN_JSON}"},"finish_reason":"${IN_JSON}"}]}\n\ndata: [DONE]\n\n`,
    ),
  () => new Response(HOSTILE, { headers: { "Content-Type": "text/html" } }),
];

/** The files of a folder that are text: Parquet and the records hold values as they came. */
async function textsOf(folder: string): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) texts.push(...await textsOf(path));
    else if (!/\.(parquet|bin)$/.test(name)) texts.push([path, await Deno.readTextFile(path)]);
  }
  return texts;
}

async function assertClean(result: CliResult, folder: string): Promise<number> {
  const texts = await textsOf(folder);
  for (const [place, text] of [...texts, ["stdout", result.stdout], ["stderr", result.stderr]]) {
    const at = CONTROLS.exec(text as string)?.index ?? -1;
    assert.ok(at < 0, `${place}: ${JSON.stringify(text?.slice(Math.max(0, at - 60), at + 30))}`);
  }
  return texts.length;
}

Deno.test("profile writes no control character of servers and input files", () =>
  withFolder(async (folder) => {
    let scrapes = 0;
    using metrics = scriptedServer(({ reply }) => {
      // No page equals the one before, so that the last one belongs to the run.
      const page = PAGE.replace("# EOF", `scrapes ${scrapes++}\n# EOF`);
      const body = new TextEncoder().encode(page);
      return reply(
        "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0\r\n" +
          `Content-Length: ${body.length}\r\n\r\n${page}`,
      );
    });
    await using server = startRecordingServer({
      async answer(request, number) {
        // Gauges belong to the run only if a page comes while it goes on.
        const before = scrapes;
        if (number === 0) await until("a page during the run", () => scrapes >= before + 2);
        return await ANSWERS[number % ANSWERS.length]?.(request, number);
      },
    });
    const input = `${folder}/input.jsonl`;
    await Deno.writeTextFile(
      input,
      `{"text":"${IN_JSON}","session_id":"${IN_JSON}","extra":{"user":"${IN_JSON}"}}\n`,
    );
    const result = await runCli([
      ...["profile", "--url", server.url, "--model", "m", "--streaming", "--input-file", input],
      ...["--request-count", String(ANSWERS.length), "--export-level", "raw"],
      ...["--slice-duration", "1", "--server-metrics", `127.0.0.1:${metrics.port}/metrics`],
      ...["--server-metrics-formats", "json,csv,jsonl,parquet", "--artifact-dir", `${folder}/run`],
      ...["--server-metrics-flush-period", "0", "--record", `${folder}/pages.jsonl`],
    ]);
    assert.equal(server.requests.length, ANSWERS.length, result.stderr);
    await Deno.remove(input);
    assert.ok(await assertClean(result, folder) > 10, "the files are there");
    const csv = await Deno.readTextFile(`${folder}/run/server_metrics_export.csv`);
    assert.ok(csv.includes("\\u001b[2Jc\\u007fd\\u009b31m"), csv);
    const lines = await Deno.readTextFile(`${folder}/run/server_metrics_export.jsonl`);
    assert.equal(
      JSON.parse(lines.split("\n")[0] as string).metrics["vllm:num_requests_running"][0].labels
        .model_name,
      HOSTILE,
    );
    const reported = await runCli(["report", `${folder}/run`]);
    assert.equal(reported.code, 0, reported.stderr);
    await assertClean(reported, folder);
    const again = await runCli([
      ...["replay", `${folder}/pages.jsonl`, "--artifact-dir", `${folder}/replay`],
    ]);
    assert.equal(again.code, 0, again.stderr);
    await assertClean(again, `${folder}/replay`);
  }));

Deno.test("profile writes no control character of the model that a server names", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      models: () => new Response(`{"data":[{"id":"${IN_JSON}"}]}`),
    });
    const result = await runCli([
      ...["profile", "--url", server.url, "--request-count", "1", "--export-level", "raw"],
      ...["--no-server-metrics", "--artifact-dir", `${folder}/run`],
    ]);
    await assertClean(result, folder);
  }));

Deno.test("what is wrong with an input file is said without its control characters", () =>
  withFolder(async (folder) => {
    const path = `${folder}/in`;
    const tries: readonly (readonly [content: string, args: readonly string[]])[] = [
      [HOSTILE, ["profile", "--model", "m", "--input-file", path]],
      [`{"type":"${IN_JSON}"}`, ["profile", "--model", "m", "--input-file", path]],
      [`{"image":"${IN_JSON}"}`, ["profile", "--model", "m", "--input-file", path]],
      [`${IN_JSON}: 1`, ["profile", "--model", "m", "--config", path]],
      [`"${IN_JSON}": 1`, ["profile", "--model", "m", "--config", path]],
      [`ui: "${IN_JSON}"\nendpoint-type: "${IN_JSON}"`, ["profile", "--config", path]],
      [`endpoint-type: "${IN_JSON}"`, ["profile", "--model", "m", "--config", path]],
      [`artifact-dir: "/${IN_JSON}"`, ["profile", "--model", "m", "--config", path, "--dry-run"]],
      [HOSTILE, ["profile", "--model", "m", "--tokenizer", path]],
      [HOSTILE, ["replay", path]],
      [PAGE, ["parse", path]],
      [`a{b="${HOSTILE}`, ["parse", "--strict", path]],
    ];
    for (const [content, args] of tries) {
      await Deno.writeTextFile(path, content);
      const result = await runCli([...args]);
      assert.ok((result.stdout + result.stderr) !== "");
      await Deno.remove(path);
      await assertClean(result, folder);
    }
  }));
