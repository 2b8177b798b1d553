/** A variable of the environment; undefined also where it may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** All variables that may be read; none where the runtime does not list their names. */
export function allVariables(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch {
    return {};
  }
}
