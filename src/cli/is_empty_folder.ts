import { UsageError } from "../options/usage_error.ts";

/**
 * Whether a folder for results has nothing in it, or is not there yet.
 * @throws {UsageError} if it cannot be looked into
 */
export async function isEmptyFolder(directory: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(directory)) return false;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw new UsageError("--artifact-dir", `${directory}: ${(error as Error).message}`);
  }
}
