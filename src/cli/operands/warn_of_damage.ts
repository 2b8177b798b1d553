import { RUN_FILES } from "../../results/collect/run_files.ts";
import { writeMessage } from "../terminal/terminal.ts";

/**
 * Warns of what a run has lost. That its `run.json` was changed is said when it is opened.
 * @param damage a phrase each
 */
export function warnOfDamage(folder: string, damage: readonly string[]): void {
  for (const text of damage) {
    if (!text.startsWith(RUN_FILES.manifest)) writeMessage("warning", `${folder}: ${text}`);
  }
}
