import { ExportError } from "../../report/export/export_error.ts";
import { FolderSink } from "../../report/export/file_sink.ts";

/**
 * Writes files into a folder, which is made if it is not there.
 * @throws {ExportError} if one cannot be written
 */
export async function writeFiles(
  directory: string,
  files: readonly (readonly [name: string, text: () => string])[],
): Promise<void> {
  try {
    await Deno.mkdir(directory, { recursive: true });
  } catch (error) {
    throw new ExportError(directory, error);
  }
  const sink = new FolderSink(directory);
  for (const [name, text] of files) await sink.write(name, [text()]);
}
