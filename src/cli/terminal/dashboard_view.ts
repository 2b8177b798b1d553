import { Dashboard } from "./dashboard.ts";
import { dashboardTerminal } from "./dashboard_terminal.ts";
import type { ProgressView } from "./progress_view.ts";
import type { CaughtSignals } from "./signals.ts";
import { writeError, writeMessage } from "./terminal.ts";

/** Begins to show progress as a full-screen view. */
export function dashboardView(
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
