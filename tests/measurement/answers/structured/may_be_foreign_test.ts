import assert from "node:assert/strict";
import { RE2JS } from "npm:re2js@2.10.0";
import { constraintText } from "../../../../src/client/endpoint/constraint/constraint_of.ts";
import { mayBeForeign } from "../../../../src/measurement/answers/structured/may_be_foreign.ts";
import { re2Pattern } from "../../../../src/measurement/answers/structured/re2_pattern.ts";

Deno.test("mayBeForeign finds the patterns that RE2 refuses and JavaScript reads", () => {
  const refused = [
    ...["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>"],
    ...["(?P<n>a)(?P=n)", "a{1001}", "a{5,2000}", "a{,1001}", "(a{60}-){60}"],
  ];
  const accepted = ["(?P<n>a+)-\\d{4}", "[a-z]+@[a-z]+\\.com", "^(a|b)*?$", "\\w{1,999}"];
  for (const pattern of [...refused, ...accepted]) {
    const isRefused = refused.includes(pattern);
    const compile = () => RE2JS.compile(re2Pattern(pattern));
    if (isRefused) assert.throws(compile, pattern);
    else compile();
    const schema = { "properties": { "x": { "pattern": pattern } } };
    for (const body of [{ "guided_regex": pattern }, { "guided_json": schema }]) {
      assert.equal(mayBeForeign(constraintText(body) ?? ""), isRefused, pattern);
    }
  }
});
