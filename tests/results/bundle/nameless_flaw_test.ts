import assert from "node:assert/strict";
import { namelessFlaw } from "../../../src/results/bundle/nameless_flaw.ts";

const LEFT_OUT = "left out: it has names of the request";

Deno.test("namelessFlaw keeps places and reasons, and leaves out names of the request", () => {
  for (
    const flaw of [
      "the reply has more than 1 MiB",
      "arguments of expected tool call 2 differ at their root",
    ]
  ) assert.equal(namelessFlaw(flaw), flaw);
  for (
    const flaw of [
      "arguments of get weather: not JSON",
      "arguments of expected tool call 2 differ at /city",
      "property salary is missing",
      "additional properties",
      'got "Jane Roe"',
    ]
  ) assert.equal(namelessFlaw(flaw), LEFT_OUT, flaw);
});
