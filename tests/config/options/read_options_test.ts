/** Every option is read: a row that no code looks at would be an option without an effect. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  OPTION_TABLES,
  PROFILE_COMMAND_OPTIONS,
} from "../../../src/config/options/commands/option_tables.ts";
import type { OptionRow, OptionTable } from "../../../src/config/options/option.ts";

const SOURCE = fileURLToPath(new URL("../../../src/", import.meta.url));
/** Where options are declared, checked and shown, whatever they mean. */
const DECLARATIONS = "config/options/";
const COMMANDS = "cli/commands/";
/** Where runs, sweeps and searches are planned from the options of `profile`. */
const PLANNING = ["config/", "report/sweep/", "run/", "cli/"];

/** A source file: its text, and the names of properties that its code reads. */
interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly reads: ReadonlySet<string>;
}

function* pathsBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(SOURCE + folder)) {
    if (isDirectory) yield* pathsBelow(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}

/** Names of the properties that code reads: `x.name`, `x["name"]`, and `{ name } = x`. */
function readsIn(path: string, text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (key: Deno.lint.Node, isComputed: boolean): void => {
    if (key.type === "Identifier" && !isComputed) names.add(key.name);
    if (key.type === "Literal" && typeof key.value === "string") names.add(key.value);
  };
  Deno.lint.runPlugin(
    {
      name: "reads",
      rules: {
        names: {
          create: () => ({
            MemberExpression: ({ property, computed }) => add(property, computed),
            ObjectPattern({ properties }) {
              for (const one of properties) if (one.type === "Property") add(one.key, one.computed);
            },
          }),
        },
      },
    },
    path,
    text,
  );
  return names;
}

const FILES: readonly SourceFile[] = [...PLANNING, "mock/"].flatMap((wing) => [...pathsBelow(wing)])
  .filter((path) => !path.startsWith(DECLARATIONS) && path !== "cli/commands.ts")
  .map((path) => {
    const text = Deno.readTextFileSync(SOURCE + path);
    return { path, text, reads: readsIn(path, text) };
  });

function fileName(command: string): string {
  return `${COMMANDS}${command.replaceAll("-", "_")}_command.ts`;
}

/** Files that see the options of `profile`: those that plan and lead runs. */
function readersOfProfile(): SourceFile[] {
  const own = new Set(["profile", "launch"].map(fileName));
  return FILES.filter(({ path }) =>
    PLANNING.some((wing) => path.startsWith(wing)) &&
    (!path.startsWith(COMMANDS) || own.has(path))
  );
}

/** Files that see the options of another command: they name its table, or are in one room with such. */
function readersOf(command: string): SourceFile[] {
  const table = new RegExp(`\\b${command.replaceAll("-", "_").toUpperCase()}_OPTIONS\\b`);
  const naming = FILES.filter(({ text }) => table.test(text));
  const rooms = new Set(
    naming.map(({ path }) => path.slice(0, path.lastIndexOf("/") + 1))
      .filter((room) => room !== COMMANDS),
  );
  return FILES.filter((file) =>
    naming.includes(file) || rooms.has(file.path.slice(0, file.path.lastIndexOf("/") + 1))
  );
}

function isRead(name: string, readers: readonly SourceFile[]): boolean {
  return readers.some(({ reads }) => reads.has(name));
}

/** Options that no code reads, and those that are read although their row states the contrary. */
function wrongOptions(command: string, table: OptionTable): string[] {
  const ofProfile = readersOfProfile();
  const own = command === "profile" ? ofProfile : readersOf(command);
  const shared: OptionTable = PROFILE_COMMAND_OPTIONS;
  return Object.entries(table).filter(([name, row]: [string, OptionRow]) => {
    if (row.refused !== undefined || row.noEffect) return false;
    // A row that two commands share, maybe under other headings, is read by what they share.
    const readers = shared[name]?.help === row.help ? [...own, ...ofProfile] : own;
    return isRead(name, readers) === (row.restatesDefault === true);
  }).map(([name]) => name);
}

Deno.test("every option of every command is read", () => {
  for (const [command, table] of OPTION_TABLES) {
    assert.deepEqual(wrongOptions(command, table), [], command);
  }
});

Deno.test("an option that nobody reads is found, and so is one that states it and is read", () => {
  const row: OptionRow = { kind: "flag", group: "Load", help: "Do nothing" };
  for (const command of ["profile", "gate", "mock"]) {
    const table = OPTION_TABLES.get(command) as OptionTable;
    const found = wrongOptions(command, { ...table, neverReadByAnyone: row });
    assert.deepEqual(found, ["neverReadByAnyone"], command);
  }
  const { concurrency } = PROFILE_COMMAND_OPTIONS;
  const restated = { concurrency: { ...concurrency, restatesDefault: true as const } };
  assert.deepEqual(wrongOptions("profile", restated), ["concurrency"]);
});

Deno.test("a name in a comment, a text or a declaration is not read", () => {
  const reads = (text: string) => [...readsIn("a.ts", text)];
  assert.deepEqual(reads(`/** name */ const name = "name"; const x = { name };`), []);
  assert.deepEqual(reads("const x = options.name;"), ["name"]);
  assert.deepEqual(reads("const { name: other = 5 } = options;"), ["name"]);
  assert.deepEqual(reads('const x = options["name"], y = options[name];'), ["name"]);
});
