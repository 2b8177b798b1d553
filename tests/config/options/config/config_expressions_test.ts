import assert from "node:assert/strict";
import { ConfigExpressions } from "../../../../src/config/options/config/config_expressions.ts";

const ENVIRONMENT: Readonly<Record<string, string>> = {
  "HOST": "h",
  "EMPTY": "",
  "INFEROMETER_VAR_SITE": "s",
};

async function expressions(variables?: unknown): Promise<ConfigExpressions> {
  const made = new ConfigExpressions((name) => ENVIRONMENT[name]);
  if (variables !== undefined) await made.define(variables);
  return made;
}

Deno.test("variables of the environment are filled in, or their defaults", async () => {
  const { fill } = await expressions().then((made) => ({ fill: made.fill.bind(made) }));
  assert.equal(fill("http://${HOST}:${PORT:80}/${SITE}"), "http://h:80/s");
  assert.equal(fill("${EMPTY:x}${NONE:}"), "x");
  assert.equal(fill("${URL:http://a:1/b?c={d}}"), "http://a:1/b?c={d}");
  assert.equal(fill("$${HOST} $HOST {{ x }}"), "${HOST} $HOST {{ x }}");
  assert.deepEqual(fill([1, { "a": "${HOST}" }, true]), [1, { "a": "h" }, true]);
  assert.throws(() => fill("${NONE}"), /variable NONE is not set.*INFEROMETER_VAR_NONE/);
});

Deno.test("expressions are computed over variables that refer to each other in any order", async () => {
  const made = await expressions({
    ...{ a: "{{ b * 2 }}", b: "{{ c // 2 }}", c: "${N:9}", d: "x{{ a }}" },
    e: true,
  });
  assert.equal(made.fill("{{ a + 1 }}"), "9");
  assert.equal(made.fill("{{ d }}-{{ 'y' if e else 'n' }}"), "x8-y");
  assert.equal(made.fill("{{ [a, b] | join(',') }}"), "8,4");
  assert.equal(made.fill("{{ c * ${F:10} }}"), "90");
  assert.deepEqual(made.fill({ "k": ["{{ b }}"] }), { "k": ["4"] });
});

Deno.test("what is not there, goes in a circle, or is no expression is refused", async () => {
  const made = await expressions({ a: 1 });
  for (const text of ["{{ b }}", "{{ a + b }}", "{{ x | int }}", "{{ a[b] }}", "{{ b.c }}"]) {
    assert.throws(() => made.fill(text), /Unknown variable "[bx]" in {{ }}: there are a/, text);
  }
  assert.equal(made.fill("{{ a if not a is defined else range(2) | list | length }}"), "2");
  assert.throws(
    () => made.fill("{% for i in range(9) %}{{ a }}{% endfor %}"),
    /neither statements/,
  );
  assert.throws(() => made.fill("{{ a "), /./);
  await assert.rejects(() => expressions({ a: "{{ b }}", b: "{{ a }}" }), /each other: a, b/);
  await assert.rejects(() => expressions({ a: "{{ a }}" }), /each other: a/);
  await assert.rejects(() => expressions({ "a-b": 1 }), /letters, digits and _: got "a-b"/);
  await assert.rejects(() => expressions([1]), /must be a mapping/);
});
