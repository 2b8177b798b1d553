import { pathToFileURL } from "node:url";
import { writeError } from "./terminal.ts";

/** Programs that open what they are given as the user's desktop would. */
const OPENERS: Readonly<Partial<Record<typeof Deno.build.os, string>>> = {
  darwin: "open",
  windows: "explorer.exe",
};

/**
 * Opens a file in the user's browser. The executable may start no program at all: there, and where
 * there is no desktop, the file's address is told instead.
 */
export async function openInBrowser(path: string): Promise<void> {
  const url = pathToFileURL(await Deno.realPath(path)).href;
  const opener = OPENERS[Deno.build.os] ?? "xdg-open";
  if (await tryToRun(opener, url)) return;
  writeError(`no browser can be opened from here; open ${url}\n`);
}

async function tryToRun(program: string, argument: string): Promise<boolean> {
  if ((await Deno.permissions.query({ name: "run", command: program })).state !== "granted") {
    return false;
  }
  try {
    const { success } = await new Deno.Command(program, {
      args: [argument],
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).output();
    // Explorer reports a failure whatever it did.
    return success || program === "explorer.exe";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
