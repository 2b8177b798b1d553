import assert from "node:assert/strict";
import fc from "fast-check";
import { chosenFiles, globPattern } from "../../../src/results/sinks/chosen_files.ts";
import { MlflowExport, type MlflowOrders } from "../../../src/results/sinks/mlflow_export.ts";
import type { GateResult } from "../../../src/config/gate/judge_slos.ts";
import { artifactPath } from "../../../src/results/sinks/mlflow_artifacts.ts";
import { mlflowMetrics, mlflowParams } from "../../../src/results/sinks/mlflow_run.ts";
import type { MlflowPlan } from "../../../src/config/plan/systems_plan.ts";
import { withFolder } from "../../support/artifacts.ts";
import { deadAddress } from "../../support/dead_address.ts";
import { reportWith } from "../../support/reports.ts";
import { startMlflow, systemsTest } from "../../support/systems_python.ts";

const NO_DOUBT = { doubtful: false, conclusive: true, remark: undefined, figures: {} };

function ordersFor(url: string, directory: string, fields: Partial<MlflowPlan> = {}): MlflowOrders {
  const { protocol, hostname, port, host } = new URL(url);
  return {
    system: "mlflow",
    directory,
    caCerts: [],
    secrets: [],
    plan: {
      place: {
        origin: { protocol, hostname, port: Number(port), addresses: [hostname], host },
        path: "",
        query: "",
        redactedUrl: url,
        headers: [],
      },
      experiment: "tests & more",
      runName: undefined,
      tags: [["gpu", "h100"]],
      parentRunId: undefined,
      artifactGlobs: ["*"],
      ...fields,
    },
  };
}

Deno.test("mlflowParams flattens settings, mlflowMetrics gives the files' values", () => {
  const params = mlflowParams(reportWith());
  assert.deepEqual(params.find(({ key }) => key === "models.items.0.name")?.value, "m");
  assert.deepEqual(params.find(({ key }) => key === "seed")?.value, "42");
  const metrics = new Map(mlflowMetrics(reportWith()).map(({ key, value }) => [key, value]));
  assert.equal(metrics.get("request_latency.p50"), 110);
  assert.equal(metrics.get("request_count"), 3);
  assert.equal(metrics.get("requests.failed"), 1);
  assert.ok([...metrics.values()].every(Number.isFinite));
  const gate = (condition: string, met: boolean): GateResult => (
    { ...{ kind: "slo", name: "goodput", condition, found: "" }, met, ...NO_DOUBT }
  );
  const gates = [gate("> 5 requests/s", true), gate("< 5 requests/s", false), gate("<= 1 %", true)];
  assert.deepEqual(
    mlflowMetrics(reportWith({ gates })).filter(({ key }) => key.startsWith("gate."))
      .map(({ key, value }) => [key, value]),
    [
      ["gate.goodput above 5 requests/s", 1],
      ["gate.goodput below 5 requests/s", 0],
      ["gate.goodput at most 1 percent", 1],
    ],
  );
  const limits = mlflowParams(reportWith({ inputConfig: { "long": "x".repeat(20_000) } }));
  assert.equal(limits[0]?.value.length, 6000);
});

Deno.test("globPattern keeps * within a folder", () => {
  const matches = (glob: string, name: string): boolean => globPattern(glob).test(name);
  assert.ok(matches("*", "a.json") && !matches("*", "run/a.json"));
  assert.ok(matches("**", "run/a.json") && matches("**/*.json", "a.json"));
  assert.ok(matches("run/?.bin", "run/a.bin") && !matches("run/?.bin", "run/ab.bin"));
  assert.ok(!matches("*.json", "ajson") && !matches("a+b", "aab"));
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => {
    const literal = name.replace(/[*?]/g, "");
    assert.ok(matches(literal, literal));
  }));
});

Deno.test("chosenFiles gives no claims, no half-written files and no links", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/run`);
    for (const name of ["b.json", "a.json", "x.tmp", ".inferometer-claim", "run/r.bin"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    await Deno.symlink("/etc/passwd", `${folder}/passwd`);
    assert.deepEqual(await chosenFiles(folder, ["*"]), ["a.json", "b.json"]);
    assert.deepEqual(await chosenFiles(folder, ["**/*.bin", "a*"]), ["a.json", "run/r.bin"]);
  });
});

Deno.test("artifactPath is the server's own store, or says what to do", () => {
  assert.equal(
    artifactPath("mlflow-artifacts:/1/ab/artifacts"),
    "/api/2.0/mlflow-artifacts/artifacts/1/ab/artifacts",
  );
  assert.equal(
    artifactPath("mlflow-artifacts://host:5000/1/a b"),
    "/api/2.0/mlflow-artifacts/artifacts/1/a%20b",
  );
  assert.throws(() => artifactPath("s3://bucket/1"), /s3:\/\/bucket\/1, .* --serve-artifacts/);
});

Deno.test("MlflowExport tells of a server that is not there, or is no MLflow", async () => {
  await withFolder(async (folder) => {
    const dead = MlflowExport.create(ordersFor(`http://${deadAddress()}`, folder));
    const outcome = await dead.finish(reportWith(), 1000);
    assert.equal(outcome.failure, "connection refused");
    assert.equal(outcome.link, undefined);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("<html>hello</html>"),
    );
    const { port } = server.addr as Deno.NetAddr;
    const wrong = MlflowExport.create(ordersFor(`http://127.0.0.1:${port}`, folder));
    const { failure } = await wrong.finish(reportWith(), 1000);
    assert.match(failure ?? "", /is this an MLflow tracking server/);
  });
});

await systemsTest("mlflow", "a run is logged to a real MLflow server", async (python) => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/my run/run`, { recursive: true });
    await Deno.mkdir(`${folder}/server`);
    const directory = `${folder}/my run`;
    const large = "0123456789".repeat(300_000);
    await Deno.writeTextFile(`${directory}/large.jsonl`, large);
    await Deno.writeTextFile(`${directory}/a b&c.json`, "{}");
    await using server = await startMlflow(python, `${folder}/server`);
    const first = await MlflowExport.create(ordersFor(server.url, directory))
      .finish(reportWith(), 60_000);
    assert.equal(first.failure, undefined);
    assert.equal(first.sent["files"], 2);
    const [, experiment, id] = /experiments\/(\w+)\/runs\/(\w+)$/.exec(first.link ?? "") ?? [];
    const { run: { info, data } } = await server.get(`mlflow/runs/get?run_id=${id}`);
    assert.equal(info.status, "FINISHED");
    assert.equal(info.run_name, "my run");
    assert.equal(info.experiment_id, experiment);
    assert.equal(info.end_time - info.start_time, 2500);
    const value = (list: { key: string; value: unknown }[], key: string): unknown =>
      list.find((entry) => entry.key === key)?.value;
    assert.equal(value(data.metrics, "request_latency.p50"), 110);
    assert.equal(value(data.params, "transport"), "socket");
    assert.equal(value(data.tags, "gpu"), "h100");
    const stored = `mlflow-artifacts/artifacts/${experiment}/${id}/artifacts/large.jsonl`;
    const text = await (await fetch(`${server.url}/api/2.0/${stored}`)).text();
    assert.ok(text === large, "the file is whole");

    // The same experiment again, under the first run, and with other files.
    const plan = { parentRunId: id, artifactGlobs: ["*.json"], runName: "child" };
    const second = await MlflowExport.create(ordersFor(server.url, directory, plan))
      .finish(reportWith({ wasCancelled: true }), 60_000);
    assert.equal(second.failure, undefined);
    assert.equal(second.sent["files"], 1);
    const child = second.link?.split("/").at(-1);
    const { run } = await server.get(`mlflow/runs/get?run_id=${child}`);
    assert.equal(run.info.experiment_id, experiment);
    assert.equal(run.info.status, "KILLED");
    assert.equal(value(run.data.tags, "mlflow.parentRunId"), id);

    await server.post("mlflow/experiments/delete", { "experiment_id": experiment });
    const third = await MlflowExport.create(ordersFor(server.url, directory))
      .finish(reportWith(), 60_000);
    assert.match(third.failure ?? "", /the experiment was deleted: restore it, or name another/);
  });
});
