// deno-lint-ignore-file no-console
/** A run that is served while it goes on: to a browser, to Prometheus, and to nobody else. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { ChromiumPage, findChromium } from "../support/chromium.ts";
import { withMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { scriptedServer } from "../support/scripted_server.ts";
import { findPrometheus, Prometheus } from "../support/prometheus_process.ts";
import { until } from "../support/until.ts";

const TOKEN = "a-token-for-tests-only";
const REPLIES = 7;
const FAILURES = 2;

/** A run under way whose last request is held back until the test lets it go. */
interface HeldRun {
  readonly url: string;
  readonly folder: string;
  /** What the run has said so far. */
  said(): string;
  letGo(): void;
  readonly child: Deno.ChildProcess;
}

function chatReply(): string {
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = event({ content: "one" }, null) + event({ content: " two" }, null) +
    event({}, "stop") + "data: [DONE]\n\n";
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
    `Content-Length: ${new TextEncoder().encode(body).length}\r\n\r\n${body}`;
}

/** Seven replies, two failures whose text is an attack on pages, and a reply that is held back. */
async function withHeldRun(
  args: readonly string[],
  test: (run: HeldRun) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const held = Promise.withResolvers<void>();
    let requests = 0;
    using server = scriptedServer(async ({ head, reply }) => {
      if (!head.startsWith("POST")) {
        return await reply("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
      }
      const number = requests++;
      if (number < FAILURES) {
        const text = '{"error":{"message":"<img src=x onerror=alert(1)> \\u001b[31m"}}';
        return await reply(
          `HTTP/1.1 500 Bad\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        );
      }
      if (number >= FAILURES + REPLIES) await held.promise;
      await reply(chatReply());
    });
    const child = spawnCli([
      ...["profile", "--url", `http://127.0.0.1:${server.port}`, "--model", "a-model"],
      ...["--streaming", "--concurrency", "1", "--isl", "10", "--osl", "4"],
      ...["--request-count", String(FAILURES + REPLIES + 1), "--artifact-dir", folder],
      ...["--overwrite", "--wait-for-model-timeout", "0", "--no-server-metrics"],
      ...["--max-error-rate", "1", ...args],
    ]);
    let said = "";
    const [out, copy] = child.stderr.tee();
    const reading = (async () => {
      for await (const text of copy.pipeThrough(new TextDecoderStream())) said += text;
    })();
    const running = new Proxy(child, {
      get: (target, name) => {
        if (name === "stderr") return out;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    try {
      const address = await until("the address", () => /^live: (\S+)/m.exec(said)?.[1]);
      await test({ url: address, folder, said: () => said, letGo: held.resolve, child: running });
    } finally {
      held.resolve();
      await child.status;
      await out.cancel().catch(() => {});
      await child.stdout.cancel().catch(() => {});
      await reading;
    }
  });
}

function metricsUrl(url: string): string {
  return url.replace("/?", "/metrics?");
}

/** Waits until everything but the held request is in the metrics. */
async function settled(url: string): Promise<string> {
  return await until("all replies are counted", async () => {
    const reply = await fetch(metricsUrl(url));
    const text = await reply.text();
    return reply.status === 200 &&
      text.includes(`inferometer_request_latency_seconds_count{phase="profiling"} ${REPLIES}\n`) &&
      text.includes(`kind="http_status"} ${FAILURES}\n`) && text;
  });
}

Deno.test("--live gives nothing to those without the token, and changes nothing for anybody", () =>
  withHeldRun(["--live", "0"], async ({ url, folder }) => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[A-Za-z0-9_-]{32}$/);
    const { origin, searchParams } = new URL(url);
    const token = searchParams.get("token") as string;
    await settled(url);
    const statusOf = async (path: string, options: RequestInit = {}): Promise<number> => {
      const reply = await fetch(`${origin}${path}`, options);
      await reply.body?.cancel();
      return reply.status;
    };
    for (const path of ["/", "/metrics", "/live.json", "/nothing"]) {
      assert.equal(await statusOf(path), 401, path);
      assert.equal(await statusOf(`${path}?token=${token.slice(1)}`), 401, path);
      assert.equal(await statusOf(`${path}?token=${"x".repeat(token.length)}`), 401, path);
      assert.equal(await statusOf(`${path}?token=${token}`), path === "/nothing" ? 404 : 200, path);
      const headers = { "Authorization": `Bearer ${token}` };
      assert.equal(await statusOf(path, { headers }), path === "/nothing" ? 404 : 200, path);
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        assert.equal(await statusOf(path, { headers, method }), 405, path);
      }
    }
    const manifest = await Deno.readTextFile(`${folder}/run/run.json`);
    assert.ok(!manifest.includes(token), "the token is in no file");
    const { facts } = JSON.parse(manifest);
    const thread = facts.threads.find(({ name }: { name: string }) => name === "live thread");
    assert.deepEqual(thread, {
      name: "live thread",
      net: [new URL(url).host],
      read: [],
      write: [],
    });
  }));

Deno.test("--live shows the run in a browser, which asks nobody else", {
  ignore: findChromium() === undefined,
}, () =>
  withHeldRun(["--live", "0"], async ({ url, letGo }) => {
    await settled(url);
    const page = await ChromiumPage.start(findChromium() as string);
    try {
      await page.open(url, { width: 1200, height: 900 });
      const text = await until("the page shows the run", async () => {
        const text = String(await page.evaluate("document.body.innerText"));
        return /\bok\s+7\b/.test(text) && text;
      });
      for (
        const pattern of [
          /a-model/,
          /a-model: closed loop, 1 in flight/,
          /9 of 10 requests\s+\d+ s/,
          /in flight\s+1\b/,
          /failed\s+2\b/,
          /TTFT[^\n]*\t7\b/,
          /http_status 500/,
          /<img src=x onerror=alert\(1\)>/,
          /CPU [\d.]+ % of \d+ cores/,
        ]
      ) assert.match(text, pattern);
      assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
      const folder = Deno.env.get("INFEROMETER_SCREENSHOTS");
      if (folder !== undefined) {
        await Deno.writeFile(`${folder}/live.png`, await page.screenshot());
      }
      assert.doesNotMatch(text, /queued/, "a closed loop queues nothing in the client");
      await page.open(url, { width: 390, height: 800 });
      await until("the page shows the run", async () =>
        /\bok\s+7\b/.test(String(await page.evaluate("document.body.innerText"))));
      const wide = await page.evaluate(
        "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth",
      );
      assert.equal(wide, 0, "the page fits 390 pixels");
      const { origin } = new URL(url);
      for (const request of page.requests) {
        assert.ok(request.startsWith(origin), request);
      }
      const icons = page.problems.filter((problem) =>
        !problem.includes("favicon")
      );
      assert.deepEqual(icons, []);
      letGo();
      await until("the page tells that the run is over", async () =>
        /over/.test(String(await page.evaluate("document.getElementById('state').textContent"))));
    } finally {
      await page.close();
    }
  }));

const prometheus = findPrometheus();
if (prometheus === undefined) {
  console.warn("Prometheus does not scrape a run here: apt-get install prometheus");
}

Deno.test("Prometheus scrapes a run, and a query gives its numbers", {
  ignore: prometheus === undefined,
}, () =>
  withHeldRun(["--live", "0", "--live-token", TOKEN], async ({ url, said }) => {
    // Whoever set it knows it.
    assert.match(url, /\/\?token=\.\.\.$/);
    assert.ok(!said().includes(TOKEN));
    await settled(url.replace("...", TOKEN));
    await using server = await Prometheus.start(prometheus as string, new URL(url).host, TOKEN);
    const value = async (query: string): Promise<number | undefined> => await server.value(query);
    await until(
      "a scrape",
      async () => await value("inferometer_requests_sent_total") !== undefined,
    );
    const queries: Readonly<Record<string, number>> = {
      'up{job="inferometer"}': 1,
      'inferometer_requests_total{phase="profiling",outcome="succeeded"}': REPLIES,
      "sum(inferometer_requests_total)": REPLIES + FAILURES,
      'inferometer_errors_total{kind="http_status"}': FAILURES,
      "inferometer_requests_in_flight": 1,
      "inferometer_concurrency_limit": 1,
      "inferometer_time_to_first_token_seconds_count": REPLIES,
      'inferometer_request_latency_seconds_bucket{le="+Inf"}': REPLIES,
      "inferometer_content_chunks_total": REPLIES * 2,
      'count(inferometer_info{model="a-model"})': 1,
    };
    for (const [query, wanted] of Object.entries(queries)) {
      assert.equal(await value(query), wanted, query);
    }
    const median = await value(
      "histogram_quantile(0.5, inferometer_request_latency_seconds_bucket)",
    );
    assert.ok(median !== undefined && median > 0, `${median}`);
    assert.deepEqual(await server.metadata("inferometer_requests_total"), "counter");
    assert.deepEqual(await server.metadata("inferometer_time_to_first_token_seconds"), "histogram");
  }));

Deno.test("--live says what is wrong with an address, a port in use, and a token", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const args = ["profile", "--url", url, "--model", "m", "--artifact-dir", `${folder}/run`];
      const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
        [["--live", "no port"], /^error: --live: Must be a port, or host:port: got "no port"$/m],
        [["--live", "70000"], /^error: --live: Must be a port/m],
        [["--live", "http://127.0.0.1:1"], /^error: --live: Must be a port/m],
        [["--live", `127.0.0.1:${taken.addr.port}`], /^error: --live: Cannot listen at 127/m],
        [["--live", "0", "--live-token", "short"], /^error: --live-token: Must have at least 16/m],
        [["--live-token", TOKEN], /^error: --live-token: Needs --live$/m],
        [["--api-host", "127.0.0.1"], /^error: --api-host: .*--api-port/m],
        [["--live", "0", "--api-port", "9"], /^error: --live: Cannot be combined with --api-port/m],
      ];
      for (const [given, message] of cases) {
        const { code, stderr } = await runCli([...args, ...given]);
        assert.match(stderr, message);
        assert.equal(code, 2, stderr);
        assert.ok(!stderr.includes("    at "), stderr);
      }
      // Nothing is left of what was made for the runs.
      assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
    })));

Deno.test("AIPerf's --api-port serves the run, and its thread stands in the permission table", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const args = ["profile", "--url", url, "--model", "m", "--artifact-dir", `${folder}/run`];
      const { stdout } = await runCli([...args, "--live", "[::1]:9400", "--dry-run"]);
      assert.match(stdout, /live thread +│ \[::1\]:9400 +│ - +│ - /);
      using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { stderr } = await runCli([...args, "--api-port", String(taken.addr.port)]);
      assert.match(stderr, new RegExp(`Cannot listen at 127\\.0\\.0\\.1:${taken.addr.port}`));
      const child = spawnCli([...args, "--api-host", "0.0.0.0", "--api-port", "0"]);
      assert.equal((await endOf(child)).code, 2);
    })));
