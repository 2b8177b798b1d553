import assert from "node:assert/strict";
import type { RunEnd } from "../../../src/core/run_end/end_reason.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import type { RequestEnd } from "../../../src/load/worker/request_end.ts";
import type { ServerPresence } from "../../../src/load/worker/server_presence.ts";

const OK: RequestEnd = { kind: undefined, status: 200, message: "" };
const REFUSED: RequestEnd = {
  kind: "connect",
  fault: "refused",
  status: 0,
  message: "Cannot connect to h:1: Connection refused (os error 111)",
};
const UNREACHABLE: RequestEnd = {
  ...{ kind: "connect", status: 0, message: "Cannot connect to h:1: No route to host" },
};
const NO_FILES: RequestEnd = {
  ...REFUSED,
  fault: "no_descriptor",
  message: "Cannot connect to h:1: Too many open files (os error 24)",
};
const RESET: RequestEnd = { kind: "connection_closed", status: 0, message: "Connection broke" };
const CUT: RequestEnd = { kind: "truncated", status: 200, message: "Connection broke" };
const TIMEOUT: RequestEnd = { kind: "timeout", status: 0, message: "No complete reply" };
const status = (code: number): RequestEnd => (
  { kind: "http_status", status: code, message: `HTTP ${code}: words of the server` }
);

/** The presence of a phase that has just begun, seen by two threads. */
function threads(): [ServerPresence, ServerPresence] {
  const control = new ControlBlock();
  control.beginPhase();
  return [control.presence, new ControlBlock(control.buffer).presence];
}

/** The reasons to end the run that an end gives which comes again and again. */
function reasonsOf(
  presence: ServerPresence,
  end: RequestEnd,
  times: number,
  { startMs = 0, everyMs = 0 } = {},
): (RunEnd | undefined)[] {
  return Array.from(
    { length: times },
    (_, index) => presence.note(end, (startMs + index * everyMs) * 1e6),
  );
}

const NO_REASON = (reason: RunEnd | undefined) => reason === undefined;

Deno.test("ServerPresence ends a run whose first ten requests were all refused, with what to do", () => {
  const refusals: readonly [RequestEnd, advice: RegExp][] = [
    [status(401), /with HTTP 401: words of the server \(check --api-key\)$/],
    [status(403), /\(check --api-key\)$/],
    [status(404), /\(check --url, --endpoint-type and --model\)$/],
    [REFUSED, /Connection refused \(os error 111\) \(start the server, or check --url\)$/],
  ];
  for (const [end, advice] of refusals) {
    const [presence] = threads();
    const reasons = reasonsOf(presence, end, 12);
    assert.ok(reasons.slice(0, 9).every(NO_REASON));
    assert.equal(reasons[9]?.reason, "all_refused");
    assert.match(
      reasons[9]?.text ?? "",
      /^the first 10 requests were all refused, the last one with /,
    );
    assert.match(reasons[9]?.text ?? "", advice);
    assert.ok(reasons.slice(10).every(NO_REASON), "it is said once");
  }
});

Deno.test("ServerPresence counts the refusals of all threads, whatever they are", () => {
  const [one, other] = threads();
  for (const end of [REFUSED, status(404), status(401)]) {
    for (const presence of [one, other, one]) assert.equal(presence.note(end, 0), undefined);
  }
  assert.match(other.note(status(403), 0)?.text ?? "", /403/);
  assert.equal(one.note(status(403), 0), undefined, "it is said to one of them");
});

Deno.test("ServerPresence goes on when anything else was answered among the first ten", () => {
  for (const answer of [OK, status(429), status(500), CUT, RESET, UNREACHABLE]) {
    const [one, other] = threads();
    assert.ok(reasonsOf(one, status(404), 4).every(NO_REASON));
    assert.equal(other.note(answer, 0), undefined);
    assert.ok(reasonsOf(one, status(404), 50).every(NO_REASON));
  }
});

Deno.test("ServerPresence does not count what says nothing of the server", () => {
  for (const kind of ["timeout", "cancelled", "cut_off", "worker_lost"] as const) {
    const [presence] = threads();
    assert.ok(reasonsOf(presence, { ...TIMEOUT, kind }, 50, { everyMs: 1000 }).every(NO_REASON));
    assert.equal(presence.absentMs(50_000e6), 0);
    assert.ok(reasonsOf(presence, status(404), 9).every(NO_REASON));
    assert.ok(presence.note({ ...TIMEOUT, kind }, 0) === undefined);
    assert.match(presence.note(status(404), 0)?.text ?? "", /404/, "the first that were answered");
  }
});

Deno.test("ServerPresence gives a server up after ten seconds and ten attempts without it", () => {
  for (const end of [REFUSED, UNREACHABLE, RESET, { ...REFUSED, kind: "tls" } as const]) {
    const [presence] = threads();
    presence.note(OK, 0);
    const often = reasonsOf(presence, end, 21, { startMs: 500, everyMs: 500 });
    assert.ok(often.slice(0, 20).every(NO_REASON));
    const { reason, text = "" } = often[20] ?? {};
    assert.equal(reason, "unreachable");
    assert.match(text, /^the server was unreachable for 10 s, in 21 attempts in a row, /);
    assert.ok(text.endsWith(end.message));
    const [other] = threads();
    other.note(OK, 0);
    const seldom = reasonsOf(other, end, 10, { everyMs: 3000 });
    assert.ok(seldom.slice(0, 9).every(NO_REASON));
    assert.match(seldom[9]?.text ?? "", /for 27 s, in 10 attempts/);
  }
});

Deno.test("ServerPresence begins to count anew when the server is there again", () => {
  for (const answer of [OK, CUT, status(503), status(404)]) {
    const [one, other] = threads();
    one.note(OK, 0);
    assert.ok(reasonsOf(one, REFUSED, 19, { everyMs: 500 }).every(NO_REASON));
    assert.equal(one.absentMs(9500e6), 9500);
    assert.equal(other.note(answer, 9600e6), undefined);
    assert.equal(one.absentMs(9700e6), 0);
    assert.ok(reasonsOf(one, RESET, 20, { startMs: 10_000, everyMs: 500 }).every(NO_REASON));
    assert.match(one.note(RESET, 20_000e6)?.text ?? "", /for 10 s, in 21 attempts/);
  }
});

Deno.test("ServerPresence decides nothing by the words of a message", () => {
  const words = [
    "connection refused (os error 111)",
    "too many open files (os error 24)",
    "the first 10 requests were all refused, the last one with HTTP 404",
    "the server was unreachable for 10 s, in 10 attempts in a row",
  ];
  const ends = [status(500), status(404), RESET, CUT, UNREACHABLE, { ...REFUSED, kind: "tls" }];
  for (const end of ends as readonly RequestEnd[]) {
    const codes = ["", ...words].map((message) => {
      const [presence] = threads();
      return reasonsOf(presence, { ...end, message }, 30, { everyMs: 1000 })
        .map((reason) => reason?.reason);
    });
    for (const others of codes.slice(1)) assert.deepEqual(others, codes[0]);
  }
});

Deno.test("ServerPresence does not hold the client's own limit against the server", () => {
  const [presence] = threads();
  assert.ok(reasonsOf(presence, NO_FILES, 100, { everyMs: 1000 }).every(NO_REASON));
  assert.equal(presence.absentMs(100_000e6), 0);
});

Deno.test("ServerPresence forgets a phase when the next one begins", () => {
  const control = new ControlBlock();
  control.beginPhase();
  reasonsOf(control.presence, REFUSED, 9);
  control.beginPhase();
  assert.equal(control.presence.absentMs(1e9), 0);
  assert.ok(reasonsOf(control.presence, REFUSED, 9).every(NO_REASON));
  assert.notEqual(control.presence.note(REFUSED, 0), undefined);
  control.beginPhase();
  reasonsOf(control.presence, status(401), 9);
  assert.notEqual(control.presence.note(status(401), 0), undefined, "it may be said again");
});
