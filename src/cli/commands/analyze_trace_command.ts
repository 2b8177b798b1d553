import { basename, dirname } from "node:path";
import type { Command } from "npm:commander@15.1.0";
import { ANALYZE_TRACE_OPTIONS } from "../../config/options/commands/analyze_trace_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { analyzeTrace } from "../../report/trace_analysis/analyze_trace.ts";
import { tracePicture } from "../../report/trace_analysis/trace_charts.ts";
import { traceText } from "../../report/trace_analysis/trace_text.ts";
import { parseReplyTimes } from "../../report/trace_analysis/reply_times.ts";
import { hubSettings } from "../../config/hub/hub_settings.ts";
import { resolveTokenizer } from "../../config/plan/prompts/resolve_dataset.ts";
import { whileBlocking } from "../../core/thread/signal_pause.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { catchSignals } from "../terminal/signals.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";
import { writeFiles } from "../operands/write_files.ts";

/** Largest size of a cache, in tokens. */
const MAX_CACHE_TOKENS = 1e15;

/**
 * Runs `inferometer analyze-trace`.
 * @param file its path, `-` for standard input
 * @returns the exit code
 */
export async function analyzeTraceCommand(command: Command, file: string): Promise<number> {
  const settings = resolveOptions(
    ANALYZE_TRACE_OPTIONS,
    await optionValues(command, ANALYZE_TRACE_OPTIONS),
  );
  const signals = catchSignals("\ninterrupted\n");
  try {
    const tokenizer = await resolveTokenizer({
      tokenizer: settings.tokenizer ?? "builtin",
      model: undefined,
      offline: settings.offline,
      hub: hubSettings(),
    });
    const analyzing = () =>
      analyzeTrace({
        path: file,
        format: settings.customDatasetType,
        blockSize: settings.blockSize,
        outputTokens: settings.osl,
        replyTimes: settings.replyTime.map(parseReplyTimes),
        tokenizer,
        keepsSessions: settings.output !== undefined,
        cacheTokens: settings.cacheTokens.flatMap((text) => text.split(/[\s,]+/)).map(sizeOf),
        interrupt: signals.signal,
        note: (text) => writeMessage("note", text),
      });
    // Patterns of a foreign tokenizer may run without end.
    const analysis = await (tokenizer.kind === "builtin" ? analyzing() : whileBlocking(analyzing));
    const { output, picture } = settings;
    if (output !== undefined) await write(output, () => `${JSON.stringify(analysis, null, 2)}\n`);
    if (picture !== undefined) await write(picture, () => tracePicture(analysis));
    writeOut(traceText(analysis, widthOf(Deno.stdout)));
    return EXIT_CODE.done;
  } catch (error) {
    if (signals.exitCode !== undefined && error === signals.signal.reason) return signals.exitCode;
    throw error;
  }
}

async function write(path: string, text: () => string): Promise<void> {
  await writeFiles(dirname(path), [[basename(path), text]]);
}

function sizeOf(text: string): number {
  const size = /^\d+$/.test(text) ? Number(text) : NaN;
  if (size > 0 && size <= MAX_CACHE_TOKENS) return size;
  throw new UsageError("--cache-tokens", `Must be whole numbers from 1: got ${text}`);
}
