import type { TextfilePlan } from "../../config/plan/systems_plan.ts";

/**
 * Writes a file that a collector may read at any moment: it has the old text or the whole new one.
 * It is readable for everybody, since the collector is another user's.
 * @throws {Error} if it cannot be written; nothing is left behind then
 */
export async function writeTextfile(
  { path, temporaryPath }: TextfilePlan,
  text: string,
): Promise<void> {
  try {
    // What an ended process has left there; of a link, the link itself.
    await Deno.remove(temporaryPath).catch(() => {});
    const file = await Deno.open(temporaryPath, { write: true, createNew: true, mode: 0o644 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let written = 0; written < bytes.length;) {
        written += await file.write(bytes.subarray(written));
      }
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(temporaryPath, path);
  } catch (error) {
    await Deno.remove(temporaryPath).catch(() => {});
    throw error;
  }
}
