import { environmentVariable } from "../../config/options/environment_variable.ts";
import { fileReason } from "../../core/files/file_reason.ts";
import { writeMessage } from "./terminal.ts";

const VARIABLE = "GITHUB_STEP_SUMMARY";

/** The path of the job's summary; undefined where this is no job of GitHub Actions. */
export function stepSummaryPath(): string | undefined {
  return environmentVariable(VARIABLE) || undefined;
}

/**
 * The summary of a job of GitHub Actions, which Markdown can be added to. It is opened before this
 * thread gives up its permissions, and can be written afterwards: the handle leads to this one file.
 */
export class StepSummary {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** The job's summary; undefined where there is none. One that cannot be opened is a warning. */
  static async open(): Promise<StepSummary | undefined> {
    const path = stepSummaryPath();
    if (path === undefined) return undefined;
    try {
      return new StepSummary(await Deno.open(path, { append: true, create: true }));
    } catch (error) {
      writeMessage("warning", `${VARIABLE} cannot be written: ${fileReason(error)}`);
      return undefined;
    }
  }

  /** Adds a piece of Markdown, and closes the file. */
  add(markdown: string): void {
    const bytes = new TextEncoder().encode(markdown);
    try {
      for (let written = 0; written < bytes.length;) {
        written += this.#file.writeSync(bytes.subarray(written));
      }
    } catch (error) {
      writeMessage("warning", `${VARIABLE} cannot be written: ${fileReason(error)}`);
    } finally {
      this.#file.close();
    }
  }
}
