import assert from "node:assert/strict";
import {
  SYSTEM_OPTIONS,
  type SystemSettings,
} from "../../../../src/config/options/profile/system_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import type { GivenOptions } from "../../../../src/config/options/settings.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { resolveSystems } from "../../../../src/config/plan/servers/resolve_systems.ts";
import { withFolder } from "../../../support/artifacts.ts";

type Given = GivenOptions<typeof SYSTEM_OPTIONS>;

async function planOf(given: Given) {
  const settings: SystemSettings = resolveOptions(SYSTEM_OPTIONS, given);
  const { plan, secrets, notices } = await resolveSystems(settings, []);
  assert.ok(plan !== undefined);
  return { ...plan, secrets, notices };
}

Deno.test("resolveSystems gives nothing where no system is named", async () => {
  const settings = resolveOptions(SYSTEM_OPTIONS, {});
  assert.deepEqual(await resolveSystems(settings, []), {
    ...{ plan: undefined, secrets: [], notices: [] },
  });
});

Deno.test("resolveSystems finds a collector by any of the names that people have for it", async () => {
  const urlOf = async (otlp: string): Promise<string> => {
    const { otlp: plan } = await planOf({ otlp });
    const { origin, path, query } = plan?.place ?? {} as never;
    return `${origin.protocol}//${origin.host}${path}|${query}`;
  };
  assert.equal(await urlOf("127.0.0.1"), "http://127.0.0.1:4318|");
  assert.equal(await urlOf("127.0.0.1:9000"), "http://127.0.0.1:9000|");
  assert.equal(await urlOf("http://127.0.0.1/"), "http://127.0.0.1|");
  assert.equal(await urlOf("http://127.0.0.1:4318/v1/traces"), "http://127.0.0.1:4318|");
  assert.equal(await urlOf("http://127.0.0.1/otel/v1/metrics?x=1"), "http://127.0.0.1/otel|?x=1");
});

Deno.test("resolveSystems reads headers, attributes and tags, and knows the secrets in them", async () => {
  const { otlp, mlflow, secrets } = await planOf({
    otlp: "http://user:correct-horse@127.0.0.1:1",
    otlpHeader: ["X-Api-Key: battery-staple"],
    otelResourceAttributes: ["team=infra,note=a, b=c", "k=v=w"],
    otlpStream: ["timing"],
    mlflowTrackingUri: "127.0.0.1:2",
    mlflowToken: "long-lived-token",
    mlflowTag: ['{"n":1,"s":"t"}', "gpu:h100,password:hunter22"],
  });
  assert.deepEqual(otlp?.place.headers, [
    ["X-Api-Key", "battery-staple"],
    ["Authorization", `Basic ${btoa("user:correct-horse")}`],
  ]);
  assert.equal(otlp?.place.redactedUrl, "http://<redacted>@127.0.0.1:1/");
  assert.deepEqual(otlp?.resourceAttributes, [
    ...[["team", "infra"], ["note", "a"], ["b", "c"], ["k", "v=w"]],
  ]);
  assert.equal(otlp?.intervalNs, 10e9);
  assert.deepEqual(mlflow?.tags, [
    ...[["n", "1"], ["s", "t"], ["gpu", "h100"], ["password", "hunter22"]],
  ]);
  assert.equal(mlflow?.experiment, "inferometer");
  for (const secret of ["correct-horse", "battery-staple", "long-lived-token", "hunter22"]) {
    assert.ok(secrets.includes(secret), secret);
  }
});

Deno.test("resolveSystems sends nothing during the run with --otlp-stream none", async () => {
  assert.equal(
    (await planOf({ otlp: "127.0.0.1:1", otlpStream: ["none"] })).otlp?.intervalNs,
    undefined,
  );
});

Deno.test("resolveSystems refuses what cannot be used, with the option's name", async () => {
  await withFolder(async (folder) => {
    const mlflowTrackingUri = "127.0.0.1:1";
    const otlp = "127.0.0.1:1";
    const refused: readonly (readonly [given: Given, message: RegExp])[] = [
      [{ textfile: folder }, /--textfile: .* is a folder/],
      [{ textfile: `${folder}/no/a.prom` }, /--textfile: There is no folder/],
      [{ otlp: "ftp://a" }, /--otlp: Only http/],
      [{ otlp: "" }, /--otlp: /],
      [{ otlp, otlpHeader: ["no header"] }, /--otlp-header: Expected/],
      [{ otlp, otelResourceAttributes: ["novalue"] }, /--otel-resource-attributes: Expected key=/],
      [{ otlp, otlpStream: ["none", "metrics"] }, /--otlp-stream: none/],
      [{ otlpTraces: 0.5 }, /--otlp-traces: Needs --otlp/],
      [{ mlflowTrackingUri: "sqlite:///mlflow.db" }, /--mlflow-tracking-uri: Only servers/],
      [{ mlflowTrackingUri: "./mlruns" }, /--mlflow-tracking-uri: Only servers/],
      [{ mlflowTrackingUri, mlflowTag: ["none"] }, /--mlflow-tag: Expected key:value/],
      [{ mlflowTrackingUri, mlflowTag: ["{a"] }, /--mlflow-tag: Not valid JSON/],
      [{ mlflowTrackingUri, mlflowParentRunId: "../x" }, /--mlflow-parent-run-id/],
      [
        { mlflowTrackingUri, mlflowExperiment: " " },
        /--mlflow-experiment: Must be more than an empty text/,
      ],
      [
        { exportTimeout: 3 },
        /--export-timeout: Needs --otlp or --mlflow-tracking-uri or --textfile/,
      ],
    ];
    for (const [given, message] of refused) {
      await assert.rejects(planOf(given), (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
  });
});

Deno.test("resolveSystems refuses a textfile in the place of a pipe", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.prom`;
    assert.ok((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
    await assert.rejects(
      planOf({ textfile: path }),
      /--textfile: Cannot write .*a\.prom: It is a device or a pipe: name a file/,
    );
  });
});

Deno.test("resolveSystems says which textfiles the collector does not read", async () => {
  await withFolder(async (folder) => {
    const { notices, textfile } = await planOf({ textfile: `${folder}/a.txt` });
    assert.match(notices.join(), /node_exporter reads only files that end in \.prom/);
    assert.equal(textfile?.path, `${folder}/a.txt`);
    assert.deepEqual((await planOf({ textfile: `${folder}/a.prom` })).notices, []);
  });
});
