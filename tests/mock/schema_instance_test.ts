import assert from "node:assert/strict";
import { randomStream } from "../../src/core/statistics/random_stream.ts";
import { patternInstance } from "../../src/mock/pattern_instance.ts";
import { schemaInstance } from "../../src/mock/schema_instance.ts";

/** Values of a schema with different random numbers. */
function instances(schema: unknown, count = 200): unknown[] {
  return Array.from({ length: count }, (_, at) => schemaInstance(schema, randomStream(1, "t", at)));
}

Deno.test("patternInstance writes texts that the expression matches as a whole", () => {
  const patterns = [
    "abc",
    "^[A-Z]{2}-\\d{3,5}$",
    "(?:yes|no|maybe so)",
    "(?<year>19|20)\\d\\d(?:-(0[1-9]|1[0-2]))?",
    "[^a-y\\s]+z*",
    "\\w+@\\w+\\.(com|org)",
    "[\\]\\-x-]{4}",
    "a.c\\.d\\$",
    "\\u0041[\\x30-\\x32]?",
    "(a|b(c|d)){2,}",
    "x{3}?y+?",
    "",
  ];
  for (const pattern of patterns) {
    for (let at = 0; at < 100; at++) {
      const text = patternInstance(pattern, randomStream(2, pattern, at));
      assert.notEqual(text, undefined, pattern);
      assert.match(text as string, new RegExp(`^(?:${pattern})$`, "s"));
    }
  }
});

Deno.test("patternInstance is undefined where an expression needs more or cannot be read", () => {
  for (const pattern of ["(?=a)a", "(a)\\1", "\\bword", "(a", "a)", "[", "*a", "a{3,1}"]) {
    assert.equal(patternInstance(pattern, randomStream(3, "t")), undefined, pattern);
  }
});

Deno.test("schemaInstance keeps the limits of numbers, texts and arrays", () => {
  for (const value of instances({ type: "integer", minimum: 3, exclusiveMaximum: 6 })) {
    assert.ok([3, 4, 5].includes(value as number), `${value}`);
  }
  for (const value of instances({ type: "number", multipleOf: 0.25, minimum: -1, maximum: 1 })) {
    assert.ok(Math.abs(value as number) <= 1 && (value as number) * 4 % 1 === 0, `${value}`);
  }
  for (const value of instances({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.1 })) {
    assert.ok((value as number) > 0 && (value as number) < 0.1, `${value}`);
  }
  for (const value of instances({ type: "string", minLength: 12, maxLength: 14 })) {
    assert.ok((value as string).length >= 12 && (value as string).length <= 14, `${value}`);
  }
  const list = { type: "array", items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true };
  for (const value of instances(list)) {
    assert.deepEqual([...value as number[]].sort(), [1, 2, 3]);
  }
  const pair = {
    type: "array",
    prefixItems: [{ const: "x" }, { type: "null" }],
    items: false,
    minItems: 2,
  };
  for (const value of instances(pair, 20)) assert.deepEqual(value, ["x", null]);
});

Deno.test("schemaInstance writes required properties, and absent ones only sometimes", () => {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" }, unit: { enum: ["C", "F"] } },
    required: ["city", "other"],
    additionalProperties: false,
    allOf: [{ properties: { other: { type: "boolean" } } }],
  };
  const found = instances(schema) as Record<string, unknown>[];
  for (const value of found) {
    assert.equal(typeof value["city"], "string");
    assert.equal(typeof value["other"], "boolean");
  }
  assert.ok(found.some((value) => "days" in value) && found.some((value) => !("days" in value)));
});

Deno.test("schemaInstance follows references, also of schemas that contain themselves", () => {
  const schema = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string", pattern: "^n\\d$" },
          next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
        required: ["name", "next", "children"],
      },
    },
  };
  const check = (value: unknown): void => {
    const { name, next, children } = value as Record<string, unknown>;
    assert.match(name as string, /^n\d$/);
    if (next !== null) check(next);
    for (const child of children as unknown[]) check(child);
  };
  instances(schema, 50).forEach(check);
});

Deno.test("schemaInstance is undefined for schemas that no value fits", () => {
  const endless = { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] };
  for (const schema of [false, endless, { allOf: [{ $ref: "#/missing" }] }]) {
    assert.equal(schemaInstance(schema, randomStream(4, "t")), undefined);
  }
});

Deno.test("schemaInstance repeats itself with the same random numbers", () => {
  const schema = {
    type: "object",
    properties: { at: { format: "date-time" }, id: { format: "uuid" } },
  };
  assert.deepEqual(instances(schema), instances(schema));
});
