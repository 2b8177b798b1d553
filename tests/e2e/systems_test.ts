/** Results that go to other systems, as a user sends them. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { EXPORTS_SCHEMA } from "../../src/report/export/schemas/exports_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { HAS_OPENSSL, makeAuthority } from "../support/certificates.ts";
import { deadAddress } from "../support/dead_address.ts";
import { withMock } from "../support/local_mock.ts";
import { endOf, PROFILE, runProfile } from "../support/profile_run.ts";
import { type CliResult, runCli, spawnCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

/** A message that a collector got. */
interface Received {
  readonly path: string;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- read as a stranger reads it
  readonly body: any;
}

/** A collector that keeps what it gets. */
function startCollector(
  answer: (number: number) => Response = () => Response.json({}),
  tls: { readonly cert?: string; readonly key?: string } = {},
) {
  const received: Received[] = [];
  const server = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    ...tls,
  } as Deno.ServeTcpOptions, async (request) => {
    const { pathname: path } = new URL(request.url);
    received.push({ path, headers: request.headers, body: await request.json() });
    return answer(received.length - 1);
  });
  const { port } = server.addr as Deno.NetAddr;
  return {
    received,
    port,
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Where a printed command is to be run. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LOAD = ["--streaming", "--concurrency", "4", "--osl", "6"];

async function cli(...args: readonly string[]): Promise<CliResult> {
  return await runCli(args);
}

function metricsOf({ body }: Received): Map<string, Received["body"]> {
  const [{ scopeMetrics: [{ metrics }] }] = body.resourceMetrics;
  return new Map(metrics.map((metric: { name: string }) => [metric.name, metric]));
}

/** How many requests a message says have ended. */
function requestsOf(message: Received): number {
  return metricsOf(message).get("inferometer.requests").sum.dataPoints
    .reduce((sum: number, { asInt }: Received["body"]) => sum + Number(asInt), 0);
}

function spansOf(received: readonly Received[]): Received["body"][] {
  return received.filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
}

Deno.test("profile sends metrics and traces to a collector, and export the very same again", async () => {
  await using collector = startCollector();
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const { code, stderr, artifacts } = await runProfile(`${folder}/run`, [
        ...["--url", url, ...LOAD, "--request-count", "40", "--warmup-request-count", "3"],
        ...["--otlp", collector.host, "--otlp-header", "X-Tenant: a", "--gen-ai-provider", "vllm"],
        ...["--otel-resource-attributes", "team=infra", "--stream", "none"],
        ...["--textfile", `${folder}/a.prom`],
      ]);
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /warning/);
      const { received } = collector;
      assert.equal(received[0]?.headers.get("x-tenant"), "a");
      assert.deepEqual(received.map(({ path }) => path), ["/v1/metrics", "/v1/traces"]);
      const metrics = metricsOf(received[0] as Received);
      const [point] = metrics.get("gen_ai.client.operation.duration").histogram.dataPoints;
      assert.equal(point.count, "40");
      const median = metrics.get("inferometer.run.request_latency").gauge.dataPoints.find(
        ({ attributes }: Received["body"]) =>
          attributes.some(({ value }: Received["body"]) => value.stringValue === "p50"),
      );
      // Milliseconds in files, seconds there.
      const p50 = artifacts.json.request_latency.p50;
      assert.ok(Math.abs(median.asDouble * 1000 - p50) < 1e-9 * p50);
      const roots = spansOf(received).filter(({ parentSpanId }) => parentSpanId === undefined);
      assert.deepEqual(
        roots.map(({ traceId }) => traceId).sort(),
        artifacts.records.map(({ metadata }) => metadata.x_request_id.replaceAll("-", "")).sort(),
      );
      const exported = JSON.parse(await Deno.readTextFile(`${folder}/run/exports.json`));
      assert.deepEqual(schemaProblems(EXPORTS_SCHEMA, exported), []);
      assert.deepEqual(
        exported.exports.map(({ system, complete }: Received["body"]) => [system, complete]),
        [["textfile", true], ["otlp", true]],
      );

      const again = await cli(
        ...["export", `${folder}/run`, "--otlp", collector.host, "--gen-ai-provider", "vllm"],
        ...["--otel-resource-attributes", "team=infra", "--textfile", `${folder}/b.prom`],
      );
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stdout, /^OpenTelemetry: 1 message, \d+ spans -> /m);
      assert.deepEqual(
        received.slice(2).map(({ body }) => body),
        received.slice(0, 2)
          .map(({ body }) => body),
      );
      assert.equal(
        await Deno.readTextFile(`${folder}/b.prom`),
        await Deno.readTextFile(`${folder}/a.prom`),
      );
    });
  });
});

Deno.test("each run of a sweep is sent as one of its own, and the textfile is of the last", async () => {
  await using collector = startCollector();
  const created: Received["body"][] = [];
  const logged: Received["body"][] = [];
  await using tracking = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const body = request.headers.get("content-type")?.includes("json")
        ? await request.json()
        : await request.text();
      if (pathname.endsWith("/runs/create")) {
        created.push(body);
        return Response.json({
          "run": {
            "info": { "run_id": `r${created.length}`, "artifact_uri": "mlflow-artifacts:/x" },
          },
        });
      }
      if (pathname.endsWith("/runs/log-batch")) logged.push(body);
      return Response.json({
        "experiment": { "experiment_id": "1", "lifecycle_stage": "active" },
      });
    },
  );
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const { code, stderr } = await cli(
        ...[...PROFILE, "--url", url, ...LOAD.filter((word) => !/^(--concurrency|4)$/.test(word))],
        ...["--concurrency", "1,2", "--num-profile-runs", "2", "--request-count", "4"],
        ...["--vary-seed-per-trial", "--artifact-dir", `${folder}/sweep`],
        ...["--otlp", collector.host, "--stream", "none", "--textfile", `${folder}/a.prom`],
        ...["--mlflow-tracking-uri", `http://127.0.0.1:${tracking.addr.port}`],
      );
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /did not get everything/);
      const instances = collector.received.filter(({ path }) => path === "/v1/metrics")
        .map(({ body }) =>
          body.resourceMetrics[0].resource.attributes
            .find(({ key }: { key: string }) => key === "service.instance.id").value.stringValue
        );
      assert.equal(new Set(instances).size, 4);
      assert.equal(spansOf(collector.received).filter(({ kind }) => kind === 3).length, 16);
      // The parameters of each run say which point it is.
      assert.equal(created.length, 4);
      const concurrency = logged.flatMap(({ params = [] }) => params)
        .filter(({ key }: { key: string }) => /phases\.\d+\.concurrency$/.test(key))
        .map(({ value }: { value: string }) => value);
      assert.deepEqual(concurrency.sort(), ["1", "1", "2", "2"]);
      const text = await Deno.readTextFile(`${folder}/a.prom`);
      assert.equal(/benchmark_id="([^"]+)"/.exec(text)?.[1], instances.at(-1));
      for (const trial of ["trial_0001", "trial_0002"]) {
        for (const point of [1, 2]) {
          const exported = JSON.parse(
            await Deno.readTextFile(
              `${folder}/sweep/profile_runs/${trial}/concurrency_${point}/exports.json`,
            ),
          );
          assert.deepEqual(
            exported.exports.map(({ complete }: Received["body"]) => complete),
            [true, true, true],
          );
        }
      }
    });
  });
});

Deno.test("metrics are sent while the run goes on, each message with all that was before", async () => {
  const { promise: hasTwo, resolve } = Promise.withResolvers<void>();
  await using collector = startCollector((number) => {
    // Messages come though no request has ended yet.
    if (number >= 1 && requestsOf(collector.received.at(-1) as Received) > 0) resolve();
    return Response.json({});
  });
  // Long enough however slow the machine is: it is ended by what the collector got.
  const itl = latencyDistribution("5");
  await withMock({ itl }, async ({ url }) => {
    await withFolder(async (folder) => {
      const child = spawnCli([
        ...[...PROFILE, "--url", url, ...LOAD, "--benchmark-duration", "600"],
        ...["--artifact-dir", `${folder}/run`, "--otlp", collector.host, "--otlp-traces", "0"],
        ...["--otlp-interval", "100ms"],
      ]);
      const ended = endOf(child);
      await Promise.race([hasTwo, ended]);
      child.kill("SIGINT");
      const { code, stderr } = await ended;
      assert.equal(code, 130, stderr);
      const counts = collector.received.map(requestsOf);
      assert.ok(counts.length >= 3, String(counts));
      assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
      const last = metricsOf(collector.received.at(-1) as Received);
      assert.ok(last.has("inferometer.run.request_latency"), "results of what there was");
      assert.deepEqual(spansOf(collector.received), []);
    });
  });
});

Deno.test("what a system does not take is told in a line, and fails no run", async () => {
  await using busy = startCollector((number) =>
    number === 0 ? Response.json({}) : new Response(null, { status: 404 })
  );
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const dead = deadAddress();
      const run = `${folder}/run`;
      const { code, stderr } = await runProfile(run, [
        ...["--url", url, ...LOAD, "--request-count", "20", "--export-timeout", "10"],
        ...["--otlp", busy.host, "--stream", "none", "--mlflow-tracking-uri", dead],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        /OpenTelemetry at http:\S+ did not get everything \(sent: 1 message, 0 of \d+ spans\): HTTP 404/,
      );
      assert.match(stderr, /MLflow at http:\S+ did not get everything .*: connection refused/);
      const { exports } = JSON.parse(await Deno.readTextFile(`${run}/exports.json`));
      assert.equal(exports[0].failure, "HTTP 404");
      assert.ok(exports[0].failed.spans > 0);

      // Who asks for nothing else has failed.
      const late = await cli("export", run, "--otlp", dead, "--export-timeout", "10s");
      assert.equal(late.code, 1);
      assert.match(late.stderr, /^error: OpenTelemetry at .* connection refused$/m);
    });
  });
});

Deno.test("keys of other systems appear in no file and on no screen", async () => {
  const keys = ["Zq7xVt9wHf3kTr5m", "Lb2cPw8nJd4gSy6k", "Rt5vBn3mXc9zQa7w", "correct-horse-x"];
  const [header, userinfo, token, tag] = keys as [string, string, string, string];
  await using collector = startCollector(() =>
    Response.json({ message: `wrong key ${header} of ${userinfo}` }, { status: 400 })
  );
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const result = await cli(
        ...[...PROFILE, "--url", url, ...LOAD, "--request-count", "4"],
        ...["--artifact-dir", `${folder}/run`, "--textfile", `${folder}/a.prom`],
        ...["--otlp", `http://user:${userinfo}@${collector.host}`],
        ...["--otlp-header", `X-Api-Key: ${header}`, "--stream", "none"],
        ...["--mlflow-tracking-uri", collector.host, "--mlflow-token", token],
        ...["--mlflow-tag", `password:${tag}`],
      );
      assert.equal(result.code, 0, result.stderr);
      // Both systems are asked at once: which of them comes first is open.
      const sent = collector.received.map(({ headers }) => headers.get("x-api-key"));
      assert.ok(sent.includes(header));
      assert.match(result.stderr, /HTTP 400: wrong key <redacted> of <redacted>/);
      const texts = [result.stdout, result.stderr];
      for (const path of [folder, `${folder}/run`, `${folder}/run/run`]) {
        for await (const { name, isFile } of Deno.readDir(path)) {
          if (isFile) texts.push(await Deno.readTextFile(`${path}/${name}`));
        }
      }
      assert.ok(texts.length > 8);
      for (const text of texts) {
        for (const key of [...keys, btoa(`user:${userinfo}`)]) assert.ok(!text.includes(key), key);
      }
    });
  });
});

Deno.test("every thread of another system is in the table of permissions", async () => {
  await withFolder(async (folder) => {
    const { code, stdout, stderr } = await cli(
      ...["profile", "--model", "m", "--url", "127.0.0.1:1", "--dry-run"],
      ...["--otlp", "127.0.0.1:4318", "--mlflow-tracking-uri", "127.0.0.1:5000"],
      ...["--textfile", `${folder}/a.prom`],
    );
    assert.equal(code, 0, stderr);
    for (const row of ["OpenTelemetry thread", "MLflow thread", "textfile thread"]) {
      assert.ok(stdout.includes(row), stdout);
    }
    const refused = await cli("profile", "--url", "127.0.0.1:1", "--no-records", "--otlp", "h");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--otlp: Cannot be used together with --no-records/);
    const nothing = await cli("export", folder);
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /Name where to/);
  });
});

Deno.test({
  name: "a collector proves who it is, and a confined command reaches it",
  ignore: !HAS_OPENSSL,
  async fn() {
    await withMock({}, async ({ url }) => {
      await withFolder(async (folder) => {
        const authority = await makeAuthority(`${folder}/authority`);
        const { cert, key } = await authority.sign("collector", ["DNS:localhost"]);
        await using collector = startCollector(undefined, { cert, key });
        const args = [
          ...[...PROFILE, "--url", url, "--model", "m", ...LOAD, "--request-count", "4"],
          ...["--artifact-dir", `${folder}/run`, "--otlp", `https://localhost:${collector.port}`],
          ...["--textfile", `${folder}/a.prom`],
        ];
        const unknown = await cli(...args, "--export-timeout", "60");
        assert.equal(unknown.code, 0);
        assert.match(
          unknown.stderr,
          /OpenTelemetry at https:.* \(sent: 0 of 1 message.*certificate/,
        );
        assert.deepEqual(collector.received, []);
        // Every permission from the start, as the program prints it.
        const printed = await runCli(
          [
            ...[...args, "--ca-cert", authority.certPath, "--export-timeout", "60"],
            "--print-deno-flags",
          ],
          { cwd: ROOT },
        );
        assert.equal(printed.code, 0, printed.stderr);
        const script = printed.stdout.replace(/^(?:OTEL_DENO=false )?deno /, `${Deno.execPath()} `);
        const { code, stderr } = await new Deno.Command("sh", { args: ["-c", script], cwd: ROOT })
          .output();
        const said = new TextDecoder().decode(stderr);
        assert.equal(code, 0, said);
        assert.doesNotMatch(said, /did not get everything/);
        assert.equal(spansOf(collector.received).filter(({ kind }) => kind === 3).length, 4);
        assert.match(
          await Deno.readTextFile(`${folder}/a.prom`),
          /^inferometer_requests\{.*\} 4$/m,
        );
      });
    });
  },
});
