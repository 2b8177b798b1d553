import type { Command } from "npm:commander@15.1.0";
import { optionValues } from "../../config/options/config/option_values.ts";
import { VERSION_OPTIONS } from "../../config/options/commands/version_options.ts";
import { BUILD, VERSION } from "../../config/plan/version.ts";
import { readEmbeddedFile } from "../../core/files/embedded_file.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer version`.
 * @returns the exit code
 */
export async function versionCommand(command: Command): Promise<number> {
  const { json, licenses } = await optionValues(command, VERSION_OPTIONS);
  if (licenses) {
    const text = await readEmbeddedFile(new URL("./licenses.txt", import.meta.url));
    writeOut(new TextDecoder().decode(text));
    return EXIT_CODE.done;
  }
  const { os, arch } = Deno.build;
  const runtime = { "deno": Deno.version.deno, "v8": Deno.version.v8 };
  if (json) {
    const version = { "version": VERSION, ...BUILD, "os": os, "arch": arch, ...runtime };
    writeOut(`${JSON.stringify(version, undefined, 2)}\n`);
    return EXIT_CODE.done;
  }
  const made = BUILD.commit === "source"
    ? "from source"
    : `commit ${BUILD.commit.slice(0, 12)} of ${BUILD.date.slice(0, 10)}`;
  writeOut(`inferometer ${VERSION} (${made}; ${os} ${arch}, Deno ${runtime.deno})\n`);
  return EXIT_CODE.done;
}
