/** What browsers that tests drive have in common. */

/** Path of the first program in PATH that has one of these names; undefined if there is none. */
export function findProgram(names: readonly string[]): string | undefined {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of names) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

/** The address that a browser says it can be driven at, as the first group of the pattern. */
export async function announcedUrl(
  { stderr }: Deno.ChildProcess,
  pattern: RegExp,
): Promise<string> {
  let text = "";
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The browser did not start: ${text}`);
    text += value;
    const url = pattern.exec(text)?.[1];
    if (url === undefined) continue;
    // What else it says must not fill the pipe.
    (async () => {
      while (!(await reader.read()).done);
    })();
    return url;
  }
}
