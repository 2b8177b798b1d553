import type { Command } from "npm:commander@15.1.0";
import { resolveScrape } from "../../config/plan/resolve/resolve_scrape.ts";
import { runScrape, type ScrapeHooks } from "../../run/runner/run_scrape.ts";
import { dropPermissions } from "../../config/sandbox/permissions.ts";
import { LiveTables } from "../../report/console/live_tables.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { SCRAPE_OPTIONS } from "../../config/options/commands/scrape_options.ts";
import { catchSignals } from "../terminal/signals.ts";
import {
  hasColor,
  takesControlCodes,
  widthOf,
  writeError,
  writeMessage,
  writeOut,
} from "../terminal/terminal.ts";

/**
 * Runs `inferometer scrape`.
 * @returns the exit code
 */
export async function scrapeCommand(command: Command, urls: readonly string[]): Promise<number> {
  const plan = await resolveScrape(urls, await optionValues(command, SCRAPE_OPTIONS));
  const signals = catchSignals("\nstopping: what was scraped is written\n");
  const live = takesControlCodes(Deno.stderr)
    ? new LiveTables({
      write: writeError,
      width: () => widthOf(Deno.stderr),
      height: () => heightOf(Deno.stderr),
    })
    : undefined;
  const onLive: ScrapeHooks["onLive"] = live === undefined
    ? undefined
    : ({ fetches, tables }, elapsedSeconds) => live.show(tables, fetches, elapsedSeconds);
  const { screenText, failure, metrics } = await runScrape(plan, {
    interrupt: signals.signal,
    screen: { width: widthOf(Deno.stdout), color: hasColor(Deno.stdout) },
    onWarning: (text) => {
      live?.clear();
      writeMessage("warning", text);
    },
    onThreadsStarted: dropPermissions,
    onLive,
  });
  live?.clear();
  writeOut(screenText);
  if (failure !== undefined) {
    writeMessage("error", failure);
    return EXIT_CODE.failed;
  }
  // Without a duration, a signal is how a scrape ends.
  if (signals.exitCode !== undefined && plan.durationNs < Infinity) return signals.exitCode;
  if (metrics === 0) {
    writeMessage("error", "No metric was found");
    return EXIT_CODE.failed;
  }
  return EXIT_CODE.done;
}

function heightOf(stream: { isTerminal(): boolean }): number {
  try {
    return stream.isTerminal() ? Deno.consoleSize().rows : Infinity;
  } catch {
    return Infinity;
  }
}
