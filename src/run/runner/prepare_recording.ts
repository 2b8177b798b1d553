import { ExportError } from "../../report/export/export_error.ts";

/**
 * Creates the file of the recording, so that a file that cannot be written is reported before
 * the run.
 * @param path undefined if nothing is recorded
 * @throws {ExportError} if it cannot be written
 */
export async function prepareRecording(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    (await Deno.open(path, { write: true, create: true })).close();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new ExportError(path, error);
  }
}
