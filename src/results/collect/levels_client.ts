import { levelsPermissions } from "../../config/sandbox/permissions.ts";
import { MissingPermissionError, startThread } from "../../config/sandbox/start_thread.ts";
import type { FoundAside } from "../../measurement/metrics/found_ahead.ts";
import type { FromLevelsThread, ToLevelsThread } from "./levels_messages.ts";
import { HUGE_RUN } from "./large_run.ts";
import type { RunFolder } from "./run_folder.ts";

/** A thread that looks for the levels and the gaps of a run. */
export interface LevelsClient {
  /** What it finds; undefined if the thread cannot read the run. */
  readonly found: Promise<FoundAside | undefined>;
  /** Ends the thread. */
  end(): void;
}

/**
 * Has another thread find the levels and the gaps of a run.
 * @param minRequests fewer are not worth it
 * @returns undefined where this one finds them as soon
 */
export function startLevels(
  { directory, manifest }: RunFolder,
  minRequests: number = HUGE_RUN,
): LevelsClient | undefined {
  const { sent = 0 } = manifest.summary ?? {};
  if (directory === undefined || sent < minRequests || navigator.hardwareConcurrency < 2) {
    return undefined;
  }
  let tell: (found: FoundAside | undefined) => void = () => {};
  const found = new Promise<FoundAside | undefined>((resolve) => tell = resolve);
  try {
    const { worker } = startThread(
      new URL("./levels_thread.ts", import.meta.url),
      levelsPermissions(directory),
      () => tell(undefined),
    );
    worker.addEventListener("message", ({ data }: MessageEvent<FromLevelsThread>) => {
      if (data.type === "found") tell(data.found);
    });
    worker.postMessage({ directory } satisfies ToLevelsThread);
    return { found, end: () => worker.terminate() };
  } catch (error) {
    // Threads get no more than this process has, and it may have given up what this one needs.
    if (error instanceof MissingPermissionError) return undefined;
    throw error;
  }
}
