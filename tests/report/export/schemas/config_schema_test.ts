/** The JSON Schema of the configuration file against the reader of the file. */

import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import fc from "fast-check";
import { stringify } from "yaml";
import { CONFIG_SCHEMA } from "../../../../src/report/export/schemas/config_schema.ts";
import { readConfigFile } from "../../../../src/config/options/config/config_file.ts";
import { kebab, type OptionSpec, specsOf } from "../../../../src/config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../../src/config/options/commands/option_tables.ts";
import { parseValue } from "../../../../src/config/options/parse_value.ts";
import { sweptOptions } from "../../../../src/config/options/swept_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { runCli } from "../../../support/run_cli.ts";
import { parseOptions, shellWords } from "../../../support/parse_options.ts";

const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(CONFIG_SCHEMA);
const isValid = (document: unknown): boolean => validate(document);
const SPECS = specsOf(PROFILE_COMMAND_OPTIONS).filter(({ inFile }) => inFile !== false);

/** Whether the reader takes a file, and a run the values of it. */
async function isRead(document: Readonly<Record<string, unknown>>): Promise<boolean> {
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(path, stringify(document));
    const values = await readConfigFile(path, PROFILE_COMMAND_OPTIONS);
    // Each option alone: what it needs may come from elsewhere.
    const rows = Object.keys(values).map((name) => {
      const { needs: _, ...row } =
        PROFILE_COMMAND_OPTIONS[name as keyof typeof PROFILE_COMMAND_OPTIONS] as OptionSpec;
      return [name, row];
    });
    const table = Object.fromEntries(rows);
    resolveOptions(table, sweptOptions(table, values).base);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  } finally {
    await Deno.remove(path);
  }
}

function isParsed(spec: OptionSpec, text: string): boolean {
  try {
    parseValue(spec, spec.name, text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("CONFIG_SCHEMA accepts every example, written as a file", async () => {
  for (const { name, example } of SPECS) {
    if (example === undefined) continue;
    const given = await parseOptions(PROFILE_COMMAND_OPTIONS, shellWords(example));
    const document = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [kebab(name), value]),
    );
    assert.ok(kebab(name) in document);
    assert.ok(isValid(document), `${example}: ${JSON.stringify(validate.errors)}`);
  }
});

Deno.test("CONFIG_SCHEMA takes other tools' words for choices, in lists as well", async () => {
  for (const { name, synonyms = {} } of SPECS) {
    for (const word of Object.keys(synonyms)) {
      const document = { [kebab(name)]: word };
      assert.ok(await isRead(document), `${name}: ${word}`);
      assert.ok(isValid(document), `${name}: ${word}`);
    }
  }
});

Deno.test("CONFIG_SCHEMA takes the names that the reader takes, and no others", async () => {
  for (const { name, kind, choices = ["7"], aliases = [] } of SPECS) {
    const value = kind === "flag" ? true : kind === "number" ? 1 : choices[0];
    const spellings = [kebab(name), ...aliases];
    const names = [name, ...spellings, ...spellings.map((word) => word.replaceAll("-", "_"))];
    for (const known of names) {
      assert.deepEqual([isValid({ [known]: value }), await isRead({ [known]: value })], [
        true,
        true,
      ], known);
    }
    const unknown = { [`${kebab(name)}-x`]: value };
    assert.deepEqual([isValid(unknown), await isRead(unknown)], [false, false]);
  }
  for (const unknown of ["config", "dry-run", "print-deno-flags"]) {
    assert.ok(!isValid({ [unknown]: true }), unknown);
  }
});

Deno.test("CONFIG_SCHEMA and the reader agree on numbers in every notation", async () => {
  const digits = fc.stringMatching(/^[0-9]{1,3}(_?[0-9]{1,2})?$/);
  const number = fc.oneof(digits, fc.tuple(digits, digits).map(([a, b]) => `${a}.${b}`));
  const unit = fc.constantFrom("", "ms", "s", " min", "m", "h", "/s", "/m", " / h", "x", "d");
  const text = fc.tuple(number, unit).map(([number, unit]) => number + unit);
  const special = fc.constantFrom("", "_1", "1_", "1e3", ".5", "5.", "-1", "+1", "1__0", "e5", ".");
  for (
    const name of ["concurrency", "benchmarkDuration", "requestRate", "sliceDuration"] as const
  ) {
    const spec = { name, ...PROFILE_COMMAND_OPTIONS[name] };
    fc.assert(fc.property(fc.oneof(text, special), (value) => {
      // Ranges count for numbers; of a text, the schema says how it is written.
      assert.equal(isValid({ [kebab(name)]: value }), isParsed(spec, value), value);
    }));
    const isUnlimited = name === "benchmarkDuration" || name === "requestRate";
    assert.equal(isValid({ [kebab(name)]: "inf" }), isUnlimited, name);
    assert.equal(await isRead({ [kebab(name)]: "inf" }), isUnlimited, name);
  }
  for (const spec of SPECS) {
    if (spec.kind !== "number" && spec.kind !== "duration" && spec.kind !== "rate") continue;
    const { name, min, max } = spec;
    for (const value of [min, max, min - 1, max * 2, min + 0.5]) {
      const document: Record<string, number> = { [kebab(name)]: value };
      assert.equal(isValid(document), await isRead(document), `${name}: ${value}`);
    }
  }
});

Deno.test("CONFIG_SCHEMA and the reader agree on values of other kinds", async () => {
  const documents: [Record<string, unknown>, boolean][] = [
    [{ "streaming": "yes" }, true],
    [{ "streaming": "maybe" }, false],
    [{ "endpoint-type": "telepathy" }, false],
    [{ "transport": "http" }, true],
    [{ "export-level": "raw", "model": 7 }, true],
    [{ "extra-inputs": { "ignore_eos": true } }, true],
    [{ "extra-inputs": ["a:1", { "b": 2 }] }, true],
    [{ "server-metrics-formats": "json, csv" }, true],
    [{ "server-metrics-formats": ["json", "xml"] }, false],
    [{ "concurrency": [1, 2] }, true],
    [{ "concurrency": "1,2" }, true],
    [{ "concurrency": [1, "many"] }, false],
    [{ "concurrency": [] }, false],
    [{ "workers": [1, 2] }, false],
    [{ "isl": { "mean": 5 } }, false],
  ];
  for (const [document, wanted] of documents) {
    const text = JSON.stringify(document);
    assert.deepEqual([isValid(document), await isRead(document)], [wanted, wanted], text);
  }
});

Deno.test("schema prints that of the configuration file, and lists it beside the others", async () => {
  const one = await runCli(["schema", "config.yaml"]);
  assert.deepEqual(JSON.parse(one.stdout), JSON.parse(JSON.stringify(CONFIG_SCHEMA)));
  const all = await runCli(["schema"]);
  assert.deepEqual(JSON.parse(all.stdout)["config.yaml"], JSON.parse(one.stdout));
});
