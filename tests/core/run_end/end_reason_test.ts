import assert from "node:assert/strict";
import fc from "fast-check";
import {
  END_REASON_NAMES,
  END_REASONS,
  type EndReason,
  firstReason,
  isFailure,
  isServerGone,
} from "../../../src/core/run_end/end_reason.ts";
import { Interruption, interruptionReason } from "../../../src/core/run_end/interruption.ts";

Deno.test("END_REASONS explains each code in a sentence of its own", () => {
  const meanings = END_REASON_NAMES.map((name) => END_REASONS[name].meaning);
  assert.equal(new Set(meanings).size, meanings.length);
  for (const name of END_REASON_NAMES) assert.match(name, /^[a-z_]+$/);
  for (const meaning of meanings) assert.match(meaning, /^[A-Z][^\n]+[^.]$/);
});

Deno.test("isFailure and isServerGone hold for the codes that they are made for", () => {
  const having = (has: (reason: EndReason) => boolean) => END_REASON_NAMES.filter(has);
  assert.deepEqual(having(isFailure), [
    ...["error_rate", "too_late", "input_unreadable", "internal", "disk"],
  ]);
  assert.deepEqual(having(isServerGone), ["all_refused", "unreachable"]);
  assert.deepEqual([isFailure(undefined), isServerGone(undefined)], [false, false]);
});

Deno.test("firstReason does not depend on the order of what it is given", () => {
  assert.equal(firstReason(), undefined);
  assert.equal(firstReason(undefined, undefined), undefined);
  const some = fc.array(fc.option(fc.constantFrom(...END_REASON_NAMES), { nil: undefined }));
  fc.assert(fc.property(some, (reasons) => {
    const first = firstReason(...reasons);
    assert.equal(firstReason(...reasons.toReversed()), first);
    assert.equal(first === undefined, reasons.every((reason) => reason === undefined));
    if (first !== undefined) assert.ok(reasons.includes(first));
    // A shard that failed makes the whole run one that failed.
    assert.equal(isFailure(first), reasons.some(isFailure));
  }));
});

Deno.test("interruptionReason names the signal, and takes any other abort for the user's", () => {
  for (const reason of ["interrupted", "terminated"] as const) {
    const controller = new AbortController();
    controller.abort(new Interruption(reason));
    assert.equal(interruptionReason(controller.signal), reason);
  }
  for (const other of [undefined, new Error("terminated"), "terminated"]) {
    const controller = new AbortController();
    controller.abort(other);
    assert.equal(interruptionReason(controller.signal), "interrupted");
  }
});
