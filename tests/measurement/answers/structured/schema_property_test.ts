import assert from "node:assert/strict";
import fc from "fast-check";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { PatternCompiler } from "../../../../src/measurement/answers/structured/text_pattern.ts";
import { SchemaCompiler } from "../../../../src/measurement/answers/structured/schema_compiler.ts";
import { patternInstance } from "../../../../src/mock/pattern_instance.ts";
import { schemaInstance } from "../../../../src/mock/schema_instance.ts";

const patterns = await PatternCompiler.load(undefined);
const schemas = await SchemaCompiler.load((source) => patterns.compile(source));

const NAMES = ["id", "name", "items", "a/b", "~x"];
const leaf = fc.oneof(
  fc.constantFrom(
    { "type": "string" },
    { "type": "string", "minLength": 3, "maxLength": 9 },
    { "type": "string", "pattern": "^[a-c]{2}-\\d+$" },
    { "type": "string", "format": "date-time" },
    { "type": "string", "format": "uuid" },
    { "type": "boolean" },
    { "type": "null" },
    { "enum": ["red", 7, null] },
    { "const": { "deep": [1] } },
  ),
  fc.integer({ min: -50, max: 50 }).map((least) => ({
    "type": "integer",
    "minimum": least,
    "maximum": least + 7,
  })),
);
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({
      "type": fc.constant("array"),
      "items": tie("schema"),
      "minItems": fc.nat({ max: 3 }),
    }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("schema"), { maxKeys: 4 }).map((properties) => ({
      "type": "object",
      "properties": properties,
      "required": Object.keys(properties).slice(0, 2),
      "additionalProperties": false,
    })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ "anyOf": anyOf })),
  ),
}));
/** A schema whose values are objects with the key `value`. */
const documents = schema.map((inner) => ({
  "type": "object",
  "properties": { "value": { "$ref": "#/$defs/inner" } },
  "required": ["value"],
  "additionalProperties": false,
  "$defs": { "inner": inner },
}));

Deno.test("what the mock writes by a schema fits it, and what is broken does not", () => {
  fc.assert(fc.property(documents, fc.nat(), (document, seed) => {
    const value = schemaInstance(document, randomStream(seed, "test"));
    const fits = schemas.compile(document);
    assert.deepEqual(fits(value), undefined, JSON.stringify(value));
    assert.equal(fits({})?.pointer, "");
    assert.equal(fits([value])?.pointer, "");
    assert.equal(fits({ ...(value as object), "more": 1 })?.pointer, "");
  }));
});

Deno.test("a value of another type is found at its place", () => {
  fc.assert(fc.property(fc.constantFrom(...NAMES), fc.nat({ max: 4 }), (name, place) => {
    const list = { "type": "array", "items": { "type": "integer" } };
    const fits = schemas.compile({ "properties": { [name]: list } });
    const items: unknown[] = [0, 1, 2, 3, 4];
    items[place] = "x";
    const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
    assert.deepEqual(fits({ [name]: items }), {
      pointer: `/${escaped}/${place}`,
      wholePointer: `/${escaped}/${place}`,
      message: "must be integer",
    });
  }));
});

const atom = fc.constantFrom("a", "b", "[0-9]", "\\d", "\\w", "x{2}", "[^,]", "\\.", "é");
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.array(tie("pattern"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.array(tie("pattern"), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join("|")})`),
    fc.tuple(tie("pattern"), fc.constantFrom("?", "*", "+", "{1,3}", "{,2}")).map(
      ([inner, repeat]) => `(?:${inner})${repeat}`,
    ),
  ),
}));

Deno.test("what the mock writes by a pattern matches it, and each beginning can become a match", () => {
  fc.assert(fc.property(pattern, fc.nat(), (source, seed) => {
    const text = patternInstance(source, randomStream(seed, "test"));
    if (text === undefined) return;
    const compiled = patterns.compile(source);
    assert.ok(compiled.matches(text), `${source} and ${text}`);
    // No pattern above has this character in any class but the negated one.
    const broken = `${text}\u0001`;
    if (!compiled.matches(broken) && !source.includes("[^")) {
      assert.ok((compiled.invalidAt(broken) ?? 0) === text.length, `${source} and ${text}`);
    }
    for (let end = 0; end <= text.length; end++) {
      assert.equal(compiled.invalidAt(text.slice(0, end)), end, `${source} and ${text}`);
    }
  }));
});
