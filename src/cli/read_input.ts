import { unreadable } from "./input_file.ts";

/**
 * The bytes of a file, or of standard input for `-`.
 * @throws {UsageError} if it cannot be read
 */
export async function readInput(file: string): Promise<Uint8Array> {
  if (file === "-") return new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
  try {
    return await Deno.readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}
