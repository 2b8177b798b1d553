import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import { ENVIRONMENT_VARIABLES } from "../../src/config/sandbox/environment.ts";

/**
 * What is baked into an executable. Its first thread has to hold whatever it hands on to the other
 * threads, and hosts and folders are known only from the command line; once the threads run, it
 * drops all of it. Nobody ever gets leave to start programs, load libraries or import code.
 */
export const RUNTIME_FLAGS: readonly string[] = [
  "--no-prompt",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  "--allow-sys=setPriority,hostname",
  "--deny-import",
  `--allow-env=${ENVIRONMENT_VARIABLES.join(",")}`,
  // Other variables are not there, instead of failing the library that looks.
  "--ignore-env",
  "--unstable-worker-options",
  ENGINE_FLAGS,
  // It would be a file in a folder that others can write to, and saves no time.
  "--no-code-cache",
];
