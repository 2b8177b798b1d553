import assert from "node:assert/strict";
import { ERROR_KINDS, type ErrorKind } from "../../../src/client/record/error_kind.ts";
import { errorDetails } from "../../../src/report/model/error_details.ts";
import { ErrorGroups } from "../../../src/report/model/error_groups.ts";

function groupsOf(failures: readonly (readonly [ErrorKind, number, string])[]): ErrorGroups {
  const groups = new ErrorGroups();
  for (const [kind, status, message] of failures) {
    groups.add(ERROR_KINDS.indexOf(kind), status, message);
  }
  return groups;
}

/** Messages of failures by status, and what of them is reason and what the server's words. */
const STATUS_MESSAGES: readonly [number, string, string, string][] = [
  [503, "HTTP 503 Service Unavailable: overloaded", "Service Unavailable", "overloaded"],
  [503, "HTTP 503 Service Unavailable", "Service Unavailable", "HTTP 503 Service Unavailable"],
  [503, "HTTP 503: overloaded", "HTTP 503", "overloaded"],
  [503, "HTTP 503", "HTTP 503", "HTTP 503"],
  [400, "HTTP 400 Bad Request: field: missing", "Bad Request", "field: missing"],
  [
    307,
    "HTTP 307 Temporary Redirect, redirects to http://a/b (redirects are not followed)",
    "Temporary Redirect",
    "HTTP 307 Temporary Redirect, redirects to http://a/b (redirects are not followed)",
  ],
];

Deno.test("errorDetails takes the message of a status apart", () => {
  for (const [status, message, type, said] of STATUS_MESSAGES) {
    assert.deepEqual(errorDetails(ERROR_KINDS.indexOf("http_status"), status, message), {
      kind: "http_status",
      status,
      type,
      message: said,
    });
  }
});

Deno.test("errorDetails leaves other messages as they are, and the status out", () => {
  for (const kind of ERROR_KINDS.filter((kind) => kind !== "http_status")) {
    const message = "HTTP 200 OK: something else";
    assert.deepEqual(errorDetails(ERROR_KINDS.indexOf(kind), 200, message), {
      kind,
      status: null,
      type: kind,
      message,
    });
  }
});

Deno.test("ErrorGroups counts failures that read the same but for their numbers", () => {
  const groups = groupsOf([
    ["timeout", 0, "No reply within 1000 ms"],
    ["truncated", 200, "The stream ended after 17 events"],
    ["truncated", 200, "The stream ended after 3 events"],
    ["truncated", 200, "The connection was lost"],
    ["truncated", 200, "The stream ended after 1234567 events"],
  ]);
  assert.deepEqual(groups.all.map(({ kind, message, count }) => [kind, message, count]), [
    ["truncated", "The stream ended after 17 events", 3],
    ["timeout", "No reply within 1000 ms", 1],
    ["truncated", "The connection was lost", 1],
  ]);
});

Deno.test("ErrorGroups tells kinds and statuses apart although the messages are the same", () => {
  const groups = groupsOf([
    ["http_status", 500, "HTTP 500: no"],
    ["http_status", 503, "HTTP 503: no"],
    ["stream_error", 200, "no"],
    ["protocol", 200, "no"],
    // A status that is not why it failed tells nothing apart.
    ["protocol", 204, "no"],
  ]);
  assert.deepEqual(groups.all.map(({ kind, status, count }) => [kind, status, count]), [
    ["protocol", null, 2],
    ["http_status", 500, 1],
    ["http_status", 503, 1],
    ["stream_error", null, 1],
  ]);
});

Deno.test("ErrorGroups puts the largest group first, whenever it began", () => {
  const groups = groupsOf([
    ...["a", "b", "b", "c", "c", "c"].map((message): [ErrorKind, number, string] => [
      "connect",
      0,
      message,
    ]),
  ]);
  assert.deepEqual(groups.all.map(({ message, count }) => [message, count]), [
    ["c", 3],
    ["b", 2],
    ["a", 1],
  ]);
});

Deno.test("ErrorGroups knows when the first of a group failed, in whichever order they came", () => {
  const groups = new ErrorGroups();
  const timeout = ERROR_KINDS.indexOf("timeout");
  for (const atNs of [NaN, 5e9, 3e9, 4e9]) groups.add(timeout, 0, "No reply", atNs);
  groups.add(ERROR_KINDS.indexOf("connect"), 0, "refused");
  assert.deepEqual(groups.all.map(({ firstNs }) => firstNs), [3e9, NaN]);
});

/** A text without digits that is another one for each number. */
function distinct(number: number): string {
  return [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

Deno.test("ErrorGroups keeps its size when every failure reads differently", () => {
  const groups = new ErrorGroups();
  for (let number = 0; number < 5000; number++) {
    const message = `Unexpected ${distinct(number)}`;
    groups.add(ERROR_KINDS.indexOf("protocol"), 200, message);
    if (number % 2 === 0) {
      groups.add(ERROR_KINDS.indexOf("http_status"), 500, `HTTP 500 Oops: ${message}`);
    }
  }
  // A group that is known goes on being counted.
  groups.add(ERROR_KINDS.indexOf("protocol"), 200, `Unexpected ${distinct(0)}`);
  const { all } = groups;
  assert.ok(all.length <= 102, `${all.length} groups`);
  assert.equal(all.reduce((sum, { count }) => sum + count, 0), 7501);
  assert.equal(all.find(({ message }) => message === `Unexpected ${distinct(0)}`)?.count, 2);
  const others = all.filter(({ message }) => message === "Other messages");
  assert.deepEqual(others.map(({ kind, status, type }) => [kind, status, type]), [
    ["protocol", null, "protocol"],
    ["http_status", 500, "Oops"],
  ]);
});

Deno.test("ErrorGroups of no failures are none", () => {
  assert.deepEqual(new ErrorGroups().all, []);
});
