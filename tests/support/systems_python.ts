/**
 * A Python with MLflow and OpenTelemetry's Protobuf definitions: the interpreter that the variable
 * INFEROMETER_TEST_SYSTEMS_PYTHON names, or that of /tmp/inferometer-test-mlflow. They are large, so
 * that no test installs them:
 * `python3 -m venv /tmp/inferometer-test-mlflow && /tmp/inferometer-test-mlflow/bin/pip install
 * mlflow opentelemetry-proto`.
 */

import assert from "node:assert/strict";

const PYTHON = Deno.env.get("INFEROMETER_TEST_SYSTEMS_PYTHON") ??
  "/tmp/inferometer-test-mlflow/bin/python";
const START_MS = 300_000;

/** The interpreter; undefined if a package is missing there. */
async function pythonWith(module: string): Promise<string | undefined> {
  try {
    const find =
      `import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)`;
    const { success } = await new Deno.Command(PYTHON, { args: ["-c", find] }).output();
    return success ? PYTHON : undefined;
  } catch {
    return undefined;
  }
}

/** Defines a test that needs a package of Python; without it, the test's name says so. */
export async function systemsTest(
  module: "mlflow" | "opentelemetry.proto",
  name: string,
  fn: (python: string) => Promise<void>,
): Promise<void> {
  const python = await pythonWith(module).catch(() => undefined);
  Deno.test({
    name: python === undefined ? `${name} (ignored: no Python with ${module})` : name,
    ignore: python === undefined,
    fn: () => fn(python as string),
  });
}

/** A tracking server. */
export interface MlflowServer extends AsyncDisposable {
  readonly url: string;
  /** What its REST interface answers. */
  // deno-lint-ignore no-explicit-any -- what the server says
  get(path: string): Promise<any>;
  post(path: string, body: unknown): Promise<unknown>;
}

/** Starts a real tracking server with a store in a folder. */
export async function startMlflow(python: string, folder: string): Promise<MlflowServer> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const url = `http://127.0.0.1:${port}`;
  const child = new Deno.Command(python, {
    args: [
      ...["-m", "mlflow", "server", "--host", "127.0.0.1", "--port", String(port)],
      ...["--workers", "1", "--backend-store-uri", `sqlite:///${folder}/mlflow.db`],
      ...["--artifacts-destination", `${folder}/artifacts`],
    ],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let hasEnded = false;
  const ended = child.status.then(() => hasEnded = true);
  const deadline = performance.now() + START_MS;
  while (!await fetch(`${url}/health`).then((reply) => reply.text()).catch(() => "")) {
    assert.ok(!hasEnded && performance.now() < deadline, "MLflow does not start");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const api = `${url}/api/2.0`;
  return {
    url,
    get: async (path) => await (await fetch(`${api}/${path}`)).json(),
    async post(path, body) {
      const headers = { "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return await (await fetch(`${api}/${path}`, init)).json();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const SCRIPT = new URL("parse_otlp.py", import.meta.url).pathname;

/** Has the official Protobuf definitions read messages; unknown fields and wrong types fail. */
export async function parseOtlp(
  python: string,
  messages: readonly (readonly [kind: "metrics" | "traces", body: string])[],
): Promise<readonly string[]> {
  const child = new Deno.Command(python, {
    args: [SCRIPT],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(messages)));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
