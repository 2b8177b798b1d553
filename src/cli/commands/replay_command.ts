import type { Command } from "npm:commander@15.1.0";
import { FolderSink } from "../../report/export/file_sink.ts";
import { giveRoomBack, releaseFolder } from "../../report/export/folder_claim.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { metricsOfServer, namedMetricsUrl } from "../../config/plan/servers/metrics_url.ts";
import { filePrefix } from "../../config/plan/resolve/resolve_output.ts";
import { resolveMetricsOutput } from "../../config/plan/servers/resolve_server_metrics.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import {
  readRecording,
  type Recording,
  RecordingError,
} from "../../results/server_metrics/read_recording.ts";
import { replay } from "../../results/server_metrics/replay.ts";
import { hostName } from "../../run/runner/host_name.ts";
import { inOutputFolder } from "../../run/runner/prepare_output.ts";
import { serverMetricsReportText } from "../../report/console/server_metrics_report_text.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { InputFile } from "../operands/input_file.ts";
import { REPLAY_OPTIONS } from "../../config/options/commands/scrape_options.ts";
import { hasColor, widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer replay`.
 * @returns the exit code
 */
export async function replayCommand(command: Command, file: string): Promise<number> {
  const settings = resolveOptions(REPLAY_OPTIONS, await optionValues(command, REPLAY_OPTIONS));
  await using input = await InputFile.open(file);
  const recording = await recordingOf(file, input);
  const { sliceDuration } = recording;
  const output = resolveMetricsOutput(
    sliceDuration === undefined ? settings : { sliceDuration, ...settings },
  );
  const prefix = settings.profileExportPrefix === undefined
    ? undefined
    : filePrefix(settings.profileExportPrefix);
  const wanted = {
    directory: settings.artifactDir,
    existing: settings.overwrite ? "overwrite" : "number",
    prefix,
  } as const;
  const { directory, report, written } = await inOutputFolder(wanted, async ({ path, begin }) => {
    await begin();
    await giveRoomBack(path);
    const sink = new FolderSink(path);
    const replayed = await replay(recording, output, prefix, sink, hostName());
    await releaseFolder(path);
    return { directory: path, ...replayed };
  });
  writeOut(serverMetricsReportText(report, {
    width: widthOf(Deno.stdout),
    color: hasColor(Deno.stdout),
    directory,
    files: written.files,
  }));
  if (written.failure !== undefined) {
    writeMessage("error", written.failure);
    return EXIT_CODE.failed;
  }
  if (report.metrics.length > 0) return EXIT_CODE.done;
  writeMessage("error", "No metric was found in the window of the statistics");
  return EXIT_CODE.failed;
}

async function recordingOf(file: string, input: InputFile): Promise<Recording> {
  try {
    return await readRecording(() => input.bytes(), {
      ofServer: (url) => metricsOfServer(url).endpoint.redactedUrl,
      named: (url) => namedMetricsUrl(url, "FILE").endpoint.redactedUrl,
    });
  } catch (error) {
    if (error instanceof RecordingError) {
      throw new UsageError(undefined, `${file}: ${error.message}`);
    }
    throw error;
  }
}
