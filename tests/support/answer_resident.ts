import { dirname, join } from "node:path";
import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import { bundledProgram } from "./bundled_program.ts";
import { HANG_MS } from "./hang_guard.ts";
import type { ResidentAnswer, ResidentOrder } from "./resident_program.ts";

/**
 * The process that answers this module's command lines. It ends when its standard input does, which
 * is when the module's tests have ended.
 */
const resident = new Deno.Command(Deno.execPath(), {
  args: [
    ...["run", "--allow-all", "--quiet", "--deny-sys=setPriority", ENGINE_FLAGS],
    join(dirname(await bundledProgram()), "resident_program.js"),
  ],
  stdin: "piped",
  stdout: "piped",
  stderr: "inherit",
}).spawn();
const orders = resident.stdin.getWriter();
const answers = resident.stdout.getReader();
const decoder = new TextDecoder();
let text = "";
let before: Promise<unknown> = Promise.resolve();

/**
 * Has the program run a command line to its end in a process that has run others and runs more of
 * them, one at a time: see `resident_program.ts`.
 * @throws {Error} if it does not end within {@linkcode HANG_MS}, or ends its process
 */
export function answerResident(order: ResidentOrder): Promise<ResidentAnswer> {
  const answer = before.then(() => answered(order));
  before = answer.catch(() => {});
  return answer;
}

async function answered(order: ResidentOrder): Promise<ResidentAnswer> {
  const timer = setTimeout(() => resident.kill("SIGKILL"), HANG_MS);
  try {
    await orders.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
    while (!text.includes("\n")) {
      const { done, value } = await answers.read();
      if (done) throw new Error(`The program has ended by itself: ${order.args.join(" ")}`);
      text += decoder.decode(value, { stream: true });
    }
    const end = text.indexOf("\n");
    const answer: ResidentAnswer = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    return answer;
  } finally {
    clearTimeout(timer);
  }
}
