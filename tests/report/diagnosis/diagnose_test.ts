import assert from "node:assert/strict";
import { diagnose } from "../../../src/report/diagnosis/diagnose.ts";
import { DIAGNOSIS_CODES } from "../../../src/report/diagnosis/diagnosis.ts";
import type { Evidence } from "../../../src/report/diagnosis/evidence.ts";

interface Case {
  readonly name: string;
  readonly in: Readonly<Record<string, number | string | null>>;
  readonly out: string;
  /** Text that the diagnosis contains. */
  readonly says?: string;
}

/** Names of the cases' facts, and the scale of ours. */
const NAMES: Readonly<Record<string, keyof Evidence>> = {
  "loop": "loop",
  "sent": "sent",
  "ok": "succeeded",
  "failed": "failed",
  "top_error": "topError",
  "unsent": "unsent",
  "client_error": "clientError",
  "starved": "clientStarved",
  "concurrency": "concurrency",
  "inflight": "inFlight",
  "rate_offered": "offeredPerSecond",
  "rate_served": "servedPerSecond",
  "backlog_slope": "backlogPerSecond",
  "backlog_slope_lo": "backlogPerSecondLower",
  "window_s": "steadySeconds",
  "window_n": "steadyRequests",
  "latency_ms": "latencyMs",
  "ttft_ms": "ttftMs",
  "decode_ms": "decodeMs",
  "queue_ms": "queueMs",
  "prefill_ms": "prefillMs",
  "running": "running",
  "running_max": "runningMax",
  "waiting": "waiting",
  "waiting_max": "waitingMax",
  "kv_max": "kvMax",
  "preemptions": "preemptions",
  "cached_share": "cachedShare",
  "isl": "promptTokens",
  "itl_ms": "itlMs",
  "itl_alone_ms": "itlAloneMs",
  "waited_pool": "waitedPool",
  "pool_waiting": "poolWaiting",
};

function evidenceOf(facts: Case["in"]): Evidence {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== null).map(([name, value]) => {
      const own = NAMES[name];
      assert.ok(own !== undefined, name);
      return [own, value];
    }),
  );
}

const cases: readonly Case[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../../fixtures/diagnosis/cases.json", import.meta.url)),
);

for (const { name, in: facts, out, says } of cases) {
  Deno.test(`diagnose of case ${name}`, () => {
    const { cause, code, text } = diagnose(evidenceOf(facts));
    assert.equal(code, out);
    if (says !== undefined) assert.ok(`${text} ${cause ?? ""}`.includes(says), `${text} ${cause}`);
  });
}

const QUIET: Evidence = {
  ...{ loop: "closed", concurrency: 16, inFlight: 16, sent: 400, succeeded: 396, failed: 4 },
  ...{ steadySeconds: 8, steadyRequests: 380, latencyMs: 300, ttftMs: 50, decodeMs: 250 },
};

Deno.test("diagnose of a stall names it before the failures that it causes", () => {
  const { code, text, evidence } = diagnose({
    ...QUIET,
    ...{ succeeded: 240, failed: 160, stalledSeconds: 5, stalledFromSeconds: 3 },
  });
  assert.equal(code, "stalled");
  assert.equal(
    text,
    "Stalled: the server sent no byte for 5 s while requests were in flight",
  );
  assert.equal(evidence[0]?.value, "5 s, from 3 s on");
});

Deno.test("diagnose does not blame the server for a silence of a client without CPU time", () => {
  const silent = { ...QUIET, stalledSeconds: 0.5 };
  const codeOf = (clientStarved: number, clientError: number) =>
    diagnose({ ...silent, clientStarved, clientError }).code;
  assert.equal(codeOf(0.5, 0.6), "client-limited");
  assert.equal(codeOf(0.5, 0.01), "stalled", "its bound shows that it read in time");
  assert.equal(codeOf(0, 0.6), "stalled");
});

Deno.test("diagnose names what the server does not report, and says nothing that it does not know", () => {
  const { code, unknown } = diagnose(QUIET);
  assert.equal(code, "unknown");
  assert.deepEqual(unknown.map((text) => text.split(":")[0]), [
    "queue time",
    "waiting requests",
    "KV-cache use",
  ]);
});

Deno.test("diagnose gives a code of the list, and a text, whatever is known", () => {
  const facts = Object.entries({
    ...{ loop: "open", offeredPerSecond: 10, servedPerSecond: 6, backlogPerSecondLower: 1 },
    ...{ waiting: 5, running: 4, runningMax: 4, kvMax: 0.5, queueMs: 90, prefillMs: 10 },
    ...{ ttftMs: 100, latencyMs: 400, decodeMs: 300, steadySeconds: 20, steadyRequests: 100 },
    ...{ sent: 100, succeeded: 100, failed: 0, itlMs: 20, itlAloneMs: 10, preemptions: 2 },
  });
  for (let known = 0; known < 2000; known++) {
    // Which facts are known, by the bits of a number that goes through all of them unevenly.
    const bits = (known * 2654435761) >>> 0;
    const evidence = Object.fromEntries(facts.filter((_, at) => (bits >>> at) & 1));
    const { code, text, try: remedies } = diagnose({ succeeded: 1, ...evidence });
    assert.ok(DIAGNOSIS_CODES.includes(code));
    assert.ok(text.length > 0 && !text.includes("undefined") && !text.includes("NaN"), text);
    assert.ok(remedies.length > 0);
  }
});

Deno.test("diagnose proposes loads that a sweep takes, each once", () => {
  const loadsOf = (concurrency: number) =>
    diagnose({ ...QUIET, concurrency, inFlight: concurrency, running: concurrency, waiting: 0 }).try
      .join();
  assert.match(loadsOf(1), /--concurrency 1,2,4$/);
  assert.match(loadsOf(8), /--concurrency 1,8,16,32$/);
});

Deno.test("diagnose names the option that mends the most frequent failure", () => {
  const remedyOf = (topError: string, succeeded = 0) =>
    diagnose({ sent: 20, succeeded, failed: 20 - succeeded, topError }).try.join();
  assert.match(remedyOf("401 Unauthorized"), /--api-key/);
  assert.match(remedyOf("404 Not Found"), /--model/);
  assert.match(remedyOf("422 Unprocessable Entity"), /--omit-inputs/);
  assert.match(remedyOf("tls"), /https/);
  assert.match(remedyOf("connect"), /--url/);
  // A status without a remedy of its own.
  assert.match(remedyOf("507 Insufficient Storage"), /server's log/);
  assert.match(remedyOf("400 Bad Request", 15), /--omit-inputs/);
});

Deno.test("diagnose does not blame the client for users who pause between turns", () => {
  const paused: Evidence = {
    ...QUIET,
    ...{ loop: "closed", concurrency: 8, inFlight: 4, running: 4, waiting: 0, clientStarved: 0.1 },
  };
  assert.equal(diagnose(paused).code, "client-limited");
  assert.equal(diagnose({ ...paused, hasTurns: true }).code, "unsaturated");
});
