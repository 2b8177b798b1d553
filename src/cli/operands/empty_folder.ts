import { UsageError } from "../../config/options/usage_error.ts";
import { fileReason } from "../../core/files/file_reason.ts";

/**
 * Whether there is nothing in a folder, or no such folder.
 * @throws {UsageError} if that cannot be told
 */
export async function isEmptyFolder(directory: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(directory)) return false;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw new UsageError("--artifact-dir", `${directory}: ${fileReason(error)}`);
  }
}
