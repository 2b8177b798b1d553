import { ExportError } from "../export/export_error.ts";

/**
 * Makes the file that is to get the recorded pages, so that what cannot be written is told before
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
