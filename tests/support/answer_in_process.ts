import { runProgram } from "../../src/cli/program.ts";
import type { CliResult } from "./run_cli.ts";

let before: Promise<unknown> = Promise.resolve();

/**
 * What the command line answers in this process, which takes a hundredth of the time of a process
 * of its own. For commands that begin no run: those give up this thread's permissions. Variables of
 * the environment belong to all tests, and cannot be set here.
 */
export function answerInProcess(args: readonly string[]): Promise<CliResult> {
  // The streams are there once.
  const answer = before.then(() => withStreams(args));
  before = answer.catch(() => {});
  return answer;
}

async function withStreams(args: readonly string[]): Promise<CliResult> {
  const streams = [Deno.stdout, Deno.stderr];
  const own = streams.map(({ writeSync, isTerminal }) => ({ writeSync, isTerminal }));
  const texts = streams.map((stream) => {
    const decoder = new TextDecoder();
    const text = { value: "" };
    stream.isTerminal = () => false;
    stream.writeSync = (bytes) => {
      text.value += decoder.decode(bytes, { stream: true });
      return bytes.length;
    };
    return text;
  });
  try {
    const code = await runProgram(args);
    return { code, stdout: texts[0]?.value ?? "", stderr: texts[1]?.value ?? "" };
  } finally {
    streams.forEach((stream, index) => Object.assign(stream, own[index]));
  }
}
