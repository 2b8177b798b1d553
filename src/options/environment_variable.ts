/** A variable of the environment; undefined also where it may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}
