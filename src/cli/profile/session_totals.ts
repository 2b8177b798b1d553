import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { countedText } from "../../report/console/number_text.ts";
import { analyzeTrace } from "../../report/trace_analysis/analyze_trace.ts";
import { sessionLines } from "../../report/trace_analysis/trace_text.ts";
import { whileBlocking } from "../../core/thread/signal_pause.ts";

/** Largest file that is read to be counted, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns lines about the recorded agent sessions of a plan: agents, gaps and ideal cache hits; none
 * for other prompts.
 * @param interrupt ends the counting
 */
export async function sessionTotals(
  { dataset, tokenizer }: Pick<RunPlan, "dataset" | "tokenizer">,
  interrupt: AbortSignal,
): Promise<readonly string[]> {
  if (!replaysSessions(dataset)) return [];
  const { blockSize, format, outputTokensMean, path } = dataset;
  if (path === "-") return [];
  const { size } = await Deno.stat(path);
  if (size > MAX_BYTES) return ["not counted, the file exceeds 64 MB: see analyze-trace"];
  const analyzing = () =>
    analyzeTrace({
      ...{ path, format, blockSize, tokenizer, interrupt, cacheTokens: [] },
      outputTokens: outputTokensMean,
      // The notes of the plan say it.
      note: () => {},
    });
  // Patterns of a foreign tokenizer may run without end.
  const { totals } = await (tokenizer.kind === "builtin" ? analyzing() : whileBlocking(analyzing));
  if (totals === undefined) return [];
  const [first = "", ...others] = sessionLines(totals);
  return [`${countedText(totals.calls, "call")} of ${first}`, ...others];
}
