/** What holds for every row of the option tables, whatever rows there are. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { checkedValue } from "../../../../src/config/options/checked_value.ts";
import {
  defaultTextOf,
  flagOf,
  kebab,
  type NumberFacts,
  type OptionSpec,
  type OptionTable,
  specsOf,
  variablesOf,
} from "../../../../src/config/options/option.ts";
import {
  OPTION_TABLES,
  PROFILE_COMMAND_OPTIONS,
} from "../../../../src/config/options/commands/option_tables.ts";
import { readConfigFile } from "../../../../src/config/options/config/config_file.ts";
import { sweptOptions } from "../../../../src/config/options/swept_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { parseOptions, shellWords } from "../../../support/parse_options.ts";

type NumberSpec = OptionSpec & NumberFacts;

/** Every row, once for each command that has it. */
const ROWS: readonly (readonly [table: OptionTable, spec: OptionSpec])[] = [
  ...OPTION_TABLES.values(),
].flatMap((table) => specsOf(table).map((spec) => [table, spec] as const));
const SPECS = ROWS.map(([, spec]) => spec);
const NUMBERS = SPECS.filter((spec): spec is NumberSpec =>
  spec.kind === "number" || spec.kind === "duration" || spec.kind === "rate"
);

Deno.test("every option says what it does, in a sentence without a period, under a heading", () => {
  for (const { name, help, group, kind, value, unit } of SPECS) {
    assert.match(help, /^[A-Z].*[^.\s]$/, name);
    assert.match(group, /^[A-Z]/, name);
    assert.ok(kind === "flag" || value !== undefined || unit !== undefined, name);
  }
});

Deno.test("every number has a range in which its default lies", () => {
  for (const spec of NUMBERS) {
    const { name, min, max, integer } = spec;
    assert.ok(Number.isFinite(min) && Number.isFinite(max) && min <= max, name);
    if (integer) assert.ok(Number.isSafeInteger(min) && Number.isSafeInteger(max), name);
  }
  for (const spec of SPECS) {
    if (spec.default === undefined) continue;
    assert.deepEqual(checkedValue(spec, spec.default), spec.default, spec.name);
    assert.notEqual(defaultTextOf(spec), "", spec.name);
  }
});

Deno.test("options need and exclude options of the same command", () => {
  for (const [table, { name, needs = [], excludes = [] }] of ROWS) {
    for (const other of [...needs, ...excludes]) {
      assert.ok(other in table && other !== name, `${name}: ${other}`);
    }
  }
});

Deno.test("choices are spelt so that any spelling of them is found", () => {
  for (const spec of SPECS) {
    for (const choice of spec.choices ?? []) {
      const shouted = choice.toUpperCase().replaceAll("-", "_");
      const [given, wanted] = spec.kind === "texts" ? [[shouted], [choice]] : [shouted, choice];
      assert.deepEqual(checkedValue(spec, given), wanted, spec.name);
    }
  }
});

Deno.test("numbers are taken in their range, and refused with the option's name outside of it", () => {
  const refused = (spec: NumberSpec, value: unknown): void =>
    assert.throws(() => checkedValue(spec, value), (error) => {
      assert.ok(error instanceof UsageError);
      assert.ok(error.message.startsWith(`${flagOf(spec.name)}: Must be `), error.message);
      return true;
    });
  for (const spec of NUMBERS) {
    const { min, max, exclusive, integer, unlimited } = spec;
    const inside = integer
      ? fc.integer({ min, max })
      : fc.double({ min, max, noNaN: true, minExcluded: exclusive === true });
    fc.assert(fc.property(inside, (value) => assert.equal(checkedValue(spec, value), value)));
    const above = fc.double({ min: max, minExcluded: true, noNaN: true, noDefaultInfinity: true });
    const below = fc.double({ max: min, maxExcluded: true, noNaN: true });
    // 0 and -0 are the same number.
    const outside = fc.oneof(above, below).filter((value) => value < min || value > max);
    fc.assert(fc.property(outside, (value) => refused(spec, value)));
    for (const value of [NaN, null, String(max), [max], {}]) refused(spec, value);
    if (exclusive) refused(spec, min);
    if (integer) refused(spec, min + 0.5);
    if (unlimited) assert.equal(checkedValue(spec, Infinity), Infinity);
    else refused(spec, Infinity);
  }
});

Deno.test("texts, lists and flags are refused where a value is of another kind", () => {
  for (const spec of SPECS) {
    if (NUMBERS.includes(spec as NumberSpec)) continue;
    const wrong = {
      "flag": ["true", 1, null],
      "text": [true, 1, null, ["a"]],
      "texts": [...spec.single ? [] : ["a"], [1], null, {}],
      "number": [],
      "duration": [],
      "rate": [],
    }[spec.kind];
    for (const value of wrong) {
      assert.throws(() => checkedValue(spec, value), UsageError, spec.name);
    }
  }
});

Deno.test("values of secret options stand in no error", () => {
  const secret = SPECS.filter((spec) => spec.secret);
  assert.ok(secret.some(({ name }) => name === "apiKey"));
  for (const spec of secret) {
    for (const value of [{ "key": "sk-1234" }, [{ "key": "sk-1234" }]]) {
      assert.throws(() => checkedValue(spec, value), (error) => {
        assert.ok(error instanceof UsageError && !error.message.includes("sk-1234"));
        return true;
      });
    }
  }
});

Deno.test("every example is a command line that can be used, and sets its option", async () => {
  for (const [table, { name, example }] of ROWS) {
    if (example === undefined) continue;
    const { config: _, ...given } = await parseOptions(
      Object.fromEntries(Object.entries(table).filter(([name]) => name !== "config")),
      name === "config" ? [] : shellWords(example),
    );
    if (name === "config") continue;
    assert.ok(name in given, example);
    resolveOptions(table, sweptOptions(table, given).base);
  }
});

/** A value of an option, and how it is written as flags, in a variable, and in a file. */
interface Notation {
  readonly value: unknown;
  readonly args: readonly string[];
  readonly variable: string;
  readonly yaml: string;
}

function notationsOf(spec: OptionSpec): Notation[] {
  const flag = flagOf(spec.name);
  const single = (value: unknown, text = String(value)): Notation => ({
    value,
    args: [flag, text],
    variable: text,
    yaml: text,
  });
  switch (spec.kind) {
    case "flag":
      return [{ value: true, args: [flag], variable: "true", yaml: "true" }];
    case "text":
      return (spec.choices ?? ["some-word", "7"]).map((word) => ({
        ...single(word),
        // A value that may be left out is written behind "=".
        ...(spec.bareValue === undefined ? {} : { args: [`${flag}=${word}`] }),
      }));
    case "texts": {
      const entries = spec.choices ?? ["one:1", "two:2"];
      const yaml = JSON.stringify(entries);
      const lines = {
        value: entries,
        args: spec.single ? entries.flatMap((entry) => [flag, entry]) : [flag, ...entries],
        variable: entries.join("\n"),
        yaml,
      };
      return spec.words ? [lines, { ...lines, variable: entries.join(", ") }] : [lines];
    }
    case "number":
      return [single(spec.max), single(spec.min)];
    case "duration":
      return [single(spec.max), single(1.5, "1500ms")];
    case "rate":
      return [single(spec.max), single(2, "120/m")];
  }
}

/** Options that are given together, by the names that stand for them, and their values. */
interface Round {
  readonly given: Record<string, string>;
  readonly values: Record<string, unknown>;
}

/** As many rounds as an option is written in ways at most; in each one way of every option. */
function roundsOf(
  specs: readonly OptionSpec[],
  waysOf: (spec: OptionSpec) => readonly (readonly [name: string, text: string, value: unknown])[],
): Round[] {
  const rounds: Round[] = [];
  for (const spec of specs) {
    waysOf(spec).forEach(([name, text, value], place) => {
      const { given, values } = rounds[place] ??= { given: {}, values: {} };
      assert.ok(!(name in given), `${name} stands for two options`);
      given[name] = text;
      values[spec.name] = value;
    });
  }
  return rounds;
}

Deno.test("flags, variables and files give an option the same value", async () => {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    for (const table of OPTION_TABLES.values()) {
      const specs = specsOf(table).filter(({ name }) => name !== "config");
      for (const spec of specs) {
        for (const { value, args } of notationsOf(spec)) {
          assert.deepEqual(await parseOptions(table, args), { [spec.name]: value });
        }
      }
      // Of these many are read at once, as each reading looks at the whole table.
      const variables = roundsOf(
        specs,
        (spec) =>
          notationsOf(spec).flatMap(({ value, variable }) =>
            variablesOf(spec).map((name) => [name, variable, value] as const)
          ),
      );
      for (const { given, values } of variables) {
        assert.deepEqual(await parseOptions(table, [], given), values);
      }
      const lines = roundsOf(
        specs.filter(({ inFile }) => inFile !== false),
        (spec) =>
          notationsOf(spec).map(({ value, yaml }) => [kebab(spec.name), yaml, value] as const),
      );
      for (const { given, values } of lines) {
        const text = Object.entries(given).map(([name, yaml]) => `${name}: ${yaml}\n`).join("");
        await Deno.writeTextFile(file, text);
        assert.deepEqual(await readConfigFile(file, table), values);
      }
    }
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("what is about the program and not about the run stands in no file", async () => {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    for (const { name, inFile, refused } of specsOf(PROFILE_COMMAND_OPTIONS)) {
      if (inFile !== false) continue;
      await Deno.writeTextFile(file, `${kebab(name)}: "true"\n`);
      const reason = `"${kebab(name)}": ${refused ?? "Is supported on the command line only"}`;
      await assert.rejects(
        readConfigFile(file, PROFILE_COMMAND_OPTIONS),
        ({ message }: Error) => message.endsWith(`:1:1: ${reason}`),
      );
    }
  } finally {
    await Deno.remove(file);
  }
});
