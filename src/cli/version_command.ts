import { BUILD, VERSION } from "../plan/version.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { writeOut } from "./terminal.ts";

/**
 * Runs `inferometer version`.
 * @param asJson whether a program reads it
 * @returns the exit code
 */
export function versionCommand(asJson: boolean): number {
  const { os, arch } = Deno.build;
  const runtime = { "deno": Deno.version.deno, "v8": Deno.version.v8 };
  if (asJson) {
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
