import assert from "node:assert/strict";
import type { SystemPlace } from "../../../src/config/plan/systems_plan.ts";
import { redactor } from "../../../src/core/secrets/redactor.ts";
import { SendError, SystemSender } from "../../../src/results/sinks/system_sender.ts";

const PLACE: SystemPlace = {
  origin: { protocol: "http:", hostname: "h", port: 1, addresses: [], host: "h:1" },
  path: "/base",
  query: "?tenant=a",
  redactedUrl: "http://h:1/base",
  headers: [["Authorization", "Bearer correct-horse-battery"]],
};
const POST = { method: "POST", path: "/v1/x", body: () => "{}" } as const;

/** A sender to a server that gives these answers, its requests, and the pauses it made. */
function sender(...answers: readonly (() => Response)[]) {
  const requests: [url: string, init: RequestInit][] = [];
  const pauses: number[] = [];
  let nowMs = 0;
  const made = new SystemSender({
    place: PLACE,
    caCerts: [],
    redact: redactor(["correct-horse-battery"]),
    fetch: ((url: string, init: RequestInit) => {
      requests.push([url, init]);
      const answer = answers[requests.length - 1] as () => Response;
      return new Promise((resolve) => resolve(answer()));
    }) as typeof fetch,
    pause: (ms) => {
      pauses.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
    nowMs: () => nowMs,
  });
  return { sender: made, requests, pauses };
}

const ok = () => new Response("fine");
const status = (code: number, headers: Record<string, string> = {}, body = "") => () =>
  new Response(body, { status: code, headers });
const refused = () => {
  throw new TypeError("error sending request", { cause: new Error("Connection refused") });
};

Deno.test("SystemSender sends again, later and later, while a system is busy or away", async () => {
  const busy = sender(status(503), refused, status(502), status(504), ok);
  assert.equal(await busy.sender.send(POST), "fine");
  assert.equal(busy.requests.length, 5);
  busy.pauses.forEach((ms, i) => {
    assert.ok(ms >= 125 * 2 ** i && ms <= 375 * 2 ** i, `pause ${i} of ${ms} ms`);
  });
  const [url, init] = busy.requests[0] as [string, RequestInit];
  assert.equal(url, "http://h:1/base/v1/x?tenant=a");
  assert.equal(init.redirect, "manual");
  assert.equal(new Headers(init.headers).get("authorization"), "Bearer correct-horse-battery");
});

Deno.test("SystemSender waits as long as a system asks it to", async () => {
  const { sender: patient, pauses } = sender(status(429, { "Retry-After": "7" }), ok);
  await patient.send(POST);
  assert.deepEqual(pauses, [7000]);
});

Deno.test("SystemSender asks a system whose certificate is not trusted once only", async () => {
  const stranger = sender(() => {
    throw new TypeError("error sending request", {
      cause: new Error("invalid peer certificate: UnknownIssuer"),
    });
  }, ok);
  await assert.rejects(stranger.sender.send(POST), /certificate: UnknownIssuer/);
  assert.deepEqual(stranger.pauses, []);
});

Deno.test("SystemSender makes no attempt beyond its time", async () => {
  const { sender: late, requests } = sender(status(429, { "Retry-After": "7" }), ok);
  late.limit(5000);
  await assert.rejects(late.send(POST), /HTTP 429/);
  assert.equal(requests.length, 1);
});

Deno.test("SystemSender tells what failed, rather than that the last attempt had no time left", async () => {
  const silent = () => {
    throw new DOMException("timed out", "TimeoutError");
  };
  const late = sender(refused, silent, ok);
  late.sender.limit(400);
  await assert.rejects(late.sender.send(POST), /^SendError: connection refused$/);
  assert.equal(late.requests.length, 2);
  const { sender: never } = sender(silent, ok);
  never.limit(100);
  await assert.rejects(never.send(POST), /^SendError: no answer within 0\.1 s$/);
});

Deno.test("SystemSender tells it also of a request that had no time left from the beginning", async () => {
  const timeout = () => {
    throw new DOMException("timed out", "TimeoutError");
  };
  const { sender: late } = sender(refused, timeout, ok, timeout);
  late.limit(100);
  await assert.rejects(late.send({ ...POST, isSingle: true }), new SendError("connection refused"));
  await assert.rejects(late.send(POST), new SendError("connection refused"));
  await late.send(POST);
  await assert.rejects(late.send(POST), new SendError("no answer within 0.1 s"));
});

Deno.test("SystemSender gives up after six attempts, at once where another will not help", async () => {
  const away = sender(...Array.from({ length: 9 }, () => refused));
  await assert.rejects(away.sender.send(POST), {
    name: "SendError",
    message: "connection refused",
  });
  assert.equal(away.requests.length, 6);
  for (const code of [400, 401, 404, 500]) {
    const { sender: wrong, requests } = sender(status(code, {}, '{"message":"no such thing"}'));
    await assert.rejects(wrong.send(POST), new SendError(`HTTP ${code}: no such thing`, code));
    assert.equal(requests.length, 1);
  }
  const once = sender(status(503));
  await assert.rejects(once.sender.send({ ...POST, isSingle: true }), /HTTP 503/);
});

Deno.test("SystemSender follows no redirect, and repeats neither secrets nor control characters", async () => {
  const away = sender(status(307, { "Location": "http://evil/?k=correct-horse-battery" }));
  await assert.rejects(away.sender.send(POST), (error: Error) => {
    assert.match(
      error.message,
      /a redirect to http:\/\/evil\/\?k=<redacted>, which is not followed/,
    );
    return true;
  });
  const echo = sender(status(400, {}, "\u001b[31mkey correct-horse-battery is wrong\n"));
  await assert.rejects(echo.sender.send(POST), {
    message: "HTTP 400:  [31mkey <redacted> is wrong".replace("  ", " "),
  });
});
