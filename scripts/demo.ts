// deno-lint-ignore-file no-console
/**
 * Starts the embedded mock server and measures it: `deno task demo [options of profile]`
 */

import { ENGINE_FLAGS } from "../src/config/sandbox/engine_flags.ts";

const main = new URL("../src/main.ts", import.meta.url).pathname;
const run = (args: readonly string[], stdout: "piped" | "inherit") =>
  new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-prompt",
      ENGINE_FLAGS,
      main,
      ...args,
    ],
    stdout,
    stderr: "inherit",
    stdin: "null",
  }).spawn();

const mock = run(["mock", "--ttft", "lognormal:60:0.25", "--itl", "normal:8:1"], "piped");
const output = mock.stdout.pipeThrough(new TextDecoderStream()).getReader();
const { value: greeting = "" } = await output.read();
const url = /http:\S+/.exec(greeting)?.[0];
if (url === undefined) throw new Error(`The mock server did not start: ${greeting}`);
console.error(`mock server: ${greeting.trim()}`);
const options = [
  ...["profile", "--url", url, "--streaming", "--concurrency", "16", "--request-count", "160"],
  ...["--isl", "200", "--osl", "64", "--warmup-request-count", "16", "--ui", "simple"],
  ...["--goodput", "ttft:100 itl:12", ...Deno.args],
];
console.error(`inferometer ${options.join(" ")}`);
const { code } = await run(options, "inherit").status;
mock.kill("SIGTERM");
await mock.status;
Deno.exit(code);
