import assert from "node:assert/strict";
import { constraintText } from "../../../src/client/endpoint/constraint/constraint_of.ts";
import { FIELD, FIELD_COUNT } from "../../../src/client/record/request_fields.ts";
import { VERDICT } from "../../../src/client/record/verdict.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { ConstraintChecker } from "../../../src/measurement/answers/structured/constraint_checker.ts";
import { ReplyVerdicts } from "../../../src/results/collect/reply_verdicts.ts";

const encoder = new TextEncoder();
const COUNTS = { inputTokens: 1, outputTokens: 1, images: 0 };
const verdicts = new ReplyVerdicts(undefined, await ConstraintChecker.load(undefined));

function tableOf(bodies: readonly Record<string, unknown>[]) {
  const builder = new PayloadTableBuilder();
  for (const body of bodies) {
    builder.addEntry([builder.addSegment(encoder.encode("{}"))], COUNTS);
    const text = constraintText(body);
    if (text !== undefined) builder.setText("constraints", text);
  }
  return builder.finish(0);
}

const table = tableOf([{ "guided_regex": "a*" }, {}, { "guided_choice": ["b"] }]);

/** The verdict on the form of a reply with a text for each choice. */
function validOf(entry: number, texts: readonly string[], isCut = false) {
  const request = new Float64Array(FIELD_COUNT);
  request[FIELD.endedAtLimit] = isCut ? 1 : 0;
  const choices = texts.map((text) => [encoder.encode(text)]);
  return verdicts.verdictOf({ table, entry }, request, choices, undefined).valid;
}

Deno.test("ReplyVerdicts checks each reply against the requirements of its own entry", () => {
  assert.equal(validOf(0, ["aaa"])?.outcome, VERDICT.yes);
  assert.equal(validOf(0, ["b"])?.reason, "regex");
  assert.equal(validOf(1, ["anything"]), undefined);
  assert.equal(validOf(2, ["b"])?.outcome, VERDICT.yes);
  assert.equal(validOf(2, [""], true)?.reason, "cut");
});

Deno.test("the worst choice of a reply decides", () => {
  assert.equal(validOf(2, ["b", "b"])?.outcome, VERDICT.yes);
  assert.equal(validOf(2, ["b", "c", "b"])?.reason, "choice");
});

Deno.test("a reply that is too long to be read as a whole is not checked", () => {
  const text = "a".repeat(1024 * 1024);
  assert.equal(validOf(0, [text])?.outcome, VERDICT.yes);
  assert.deepEqual(validOf(0, [`${text}b`]), {
    outcome: VERDICT.unchecked,
    flaw: "the reply has more than 1 MiB",
  });
});
