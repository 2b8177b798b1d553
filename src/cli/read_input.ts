import { UsageError } from "../options/usage_error.ts";

/**
 * The bytes of a file, or of standard input for `-`.
 * @throws {UsageError} if it cannot be read
 */
export async function readInput(file: string): Promise<Uint8Array> {
  if (file === "-") return new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
  try {
    return await Deno.readFile(file);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "File does not exist"
      : (error as Error).message;
    throw new UsageError("FILE", `${file}: ${reason}`);
  }
}
