import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sourceFiles } from "../../../scripts/compile/source_files.ts";
import { specsOf, variablesOf } from "../../../src/config/options/option.ts";
import { OPTION_TABLES } from "../../../src/config/options/commands/option_tables.ts";
import { ENVIRONMENT_VARIABLES } from "../../../src/config/sandbox/environment.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));
/** Read where the runtime lets it pass, on purpose: see where it is used. */
const NOT_IN_THE_EXECUTABLE = ["OTEL_DENO"];

function mayBeRead(name: string): boolean {
  return ENVIRONMENT_VARIABLES.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern
  );
}

Deno.test("every variable that sets an option may be read", () => {
  for (const spec of [...OPTION_TABLES.values()].flatMap(specsOf)) {
    for (const name of variablesOf(spec)) assert.ok(mayBeRead(name), name);
  }
});

Deno.test("every variable that the sources name may be read", async () => {
  const named: string[] = [];
  for (const room of ["cli", "config/options"]) {
    for (const path of await sourceFiles(`${SOURCES}/${room}`)) {
      const text = await Deno.readTextFile(path);
      const calls = text.matchAll(/\benvironmentVariable\("(\w+)"\)/g);
      named.push(...[...calls].map(([, name]) => name as string));
    }
  }
  assert.ok(named.includes("COLUMNS"), "the pattern finds nothing");
  for (const name of named) {
    if (!NOT_IN_THE_EXECUTABLE.includes(name)) assert.ok(mayBeRead(name), name);
  }
});

Deno.test("every variable that names a proxy may be read", () => {
  for (const name of ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    assert.ok(mayBeRead(name) && mayBeRead(name.toLowerCase()), name);
  }
});

Deno.test("the line that installs from a checkout names the variables that may be read", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/install.md", import.meta.url));
  assert.ok(page.includes(`--allow-env='${ENVIRONMENT_VARIABLES.join(",")}'`));
});

Deno.test("variables that configure the runtime or libraries may not be read", () => {
  for (const name of ["OTEL_DENO", "NODE_OPTIONS", "DENO_DIR", "SHELL", "LOG_TOKENS", "PATH"]) {
    assert.ok(!mayBeRead(name), name);
  }
});
