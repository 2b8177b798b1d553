import { hasDashboardTerminal } from "./dashboard_terminal.ts";
import type { ProgressKind, ProgressView } from "./progress_view.ts";
import type { CaughtSignals } from "./signals.ts";
import { showsNoProgress, stderrLine } from "./stderr_line.ts";
import { writeError, writeMessage } from "./terminal.ts";

/**
 * Begins to show progress: as a full-screen view where that is wanted and there is a terminal, as a
 * line that changes, or as lines.
 * @param mayRead whether standard input is not needed for anything else
 * @param remarks where the run is served, said when it is; a full-screen view shows it all the time
 */
export async function beginProgressView(
  kind: ProgressKind,
  signals: CaughtSignals,
  mayRead: boolean,
  remarks: readonly string[],
): Promise<ProgressView> {
  if (kind === "dashboard" && hasDashboardTerminal()) {
    const { dashboardView } = await import("./dashboard_view.ts");
    return dashboardView(signals, mayRead, remarks);
  }
  const onServing = (): void => {
    for (const remark of remarks) writeError(`${remark}\n`);
  };
  if (showsNoProgress(kind)) {
    return { hooks: { onServing }, say: writeMessage, close() {} };
  }
  const line = stderrLine();
  return {
    hooks: {
      onServing,
      onProgress: (progress) => line.show(progress),
      onStage: (text) => line.showStage(text),
    },
    say(level, text) {
      line.clear();
      writeMessage(level, text);
    },
    close: () => line.clear(),
  };
}
