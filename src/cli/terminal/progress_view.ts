import type { RunHooks } from "../../run/run_hooks.ts";
import { ProgressLine } from "../../ui/progress_line.ts";
import { Dashboard } from "./dashboard.ts";
import { dashboardTerminal, hasDashboardTerminal } from "./dashboard_terminal.ts";
import type { CaughtSignals } from "./signals.ts";
import { widthOf, writeError, writeMessage } from "./terminal.ts";

/** What shows how far a run is. */
export interface ProgressView {
  readonly hooks: Pick<RunHooks, "onProgress" | "onStage" | "onLive" | "onServing" | "onSteering">;
  /** Says something that belongs to no output: a warning, or a note. */
  say(level: "warning" | "note", text: string): void;
  /** Takes it off the screen, to write something else. */
  close(): void;
}

/** Ways to show progress. */
export type ProgressKind = "auto" | "simple" | "dashboard" | "none";

/**
 * Begins to show progress: as a full-screen view where that is wanted and there is a terminal, as a
 * line that changes, or as lines.
 * @param mayRead whether standard input is not needed for anything else
 * @param remarks where the run is served, said when it is; a full-screen view shows it all the time
 */
export function progressView(
  kind: ProgressKind,
  signals: CaughtSignals,
  mayRead: boolean,
  remarks: readonly string[],
): ProgressView {
  if (kind === "dashboard" && hasDashboardTerminal()) {
    return dashboardView(signals, mayRead, remarks);
  }
  const onServing = (): void => {
    for (const remark of remarks) writeError(`${remark}\n`);
  };
  const isTerminal = Deno.stderr.isTerminal();
  if (kind === "none" || (kind === "auto" && !isTerminal)) {
    return { hooks: { onServing }, say: writeMessage, close() {} };
  }
  const line = new ProgressLine({
    isTerminal,
    width: () => widthOf(Deno.stderr),
    write: writeError,
  });
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

function dashboardView(
  signals: CaughtSignals,
  mayRead: boolean,
  remarks: readonly string[],
): ProgressView {
  /** What is said once the screen is given back, so that it stays. */
  const later: (() => void)[] = [];
  const terminal = dashboardTerminal(mayRead);
  const dashboard = new Dashboard(terminal, () => signals.interrupt(), remarks);
  const writeMessageBefore = signals.writeMessage;
  signals.writeMessage = (text) => {
    later.push(() => writeMessageBefore(text));
    dashboard.notice(text.trim());
  };
  for (const remark of remarks) writeError(`${remark}\n`);
  dashboard.open();
  return {
    hooks: {
      onLive: (model) => dashboard.show(model),
      onSteering: (steering) => dashboard.keys = steering,
    },
    say: (level, text) => void later.push(() => writeMessage(level, text)),
    close() {
      dashboard.close();
      signals.writeMessage = writeMessageBefore;
      for (const say of later.splice(0)) say();
    },
  };
}
