import { readFile } from "../../core/files/read_file.ts";
import { unreadable } from "./input_file.ts";

/**
 * The bytes of a file, or of standard input for `-`.
 * @throws {UsageError} if it cannot be read
 */
export async function readInput(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file, { pipes: true });
  } catch (error) {
    throw unreadable(file, error);
  }
}
