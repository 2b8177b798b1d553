/** Requests that go to another address, or with another Host, than their URL names. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { HAS_OPENSSL, makeAuthority } from "../support/certificates.ts";
import { runCli } from "../support/run_cli.ts";

/** A server that notes the Host of each request, by its path. */
function startServer(tls: { cert: string; key: string } | undefined = undefined) {
  const hosts = new Map<string, Set<string>>();
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    await request.text();
    const seen = hosts.get(pathname) ?? new Set();
    hosts.set(pathname, seen.add(request.headers.get("host") ?? ""));
    if (pathname === "/metrics") return new Response("vllm:num_requests_running 0\n");
    if (pathname === "/v1/models") return Response.json({ data: [{ id: "m" }] });
    const message = { role: "assistant", content: "hi" };
    return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {}, ...tls },
    answer,
  );
  return {
    hosts,
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const RUN = ["--request-count", "2", "--concurrency", "1"];

Deno.test("profile sends the Host that --header names, to the metrics of its server too", () =>
  withFolder(async (folder) => {
    await using server = startServer();
    const { code, stderr } = await runCli([
      ...["profile", "--url", `127.0.0.1:${server.port}`, "--header", "Host: llm.example.com"],
      ...["--artifact-dir", folder, ...RUN],
    ]);
    assert.equal(code, 0, stderr);
    for (const path of ["/v1/chat/completions", "/v1/models", "/metrics"]) {
      assert.deepEqual(server.hosts.get(path), new Set(["llm.example.com"]), path);
    }
  }));

Deno.test("profile connects to the address of --connect-to", () =>
  withFolder(async (folder) => {
    await using server = startServer();
    const { code, stderr } = await runCli([
      ...["profile", "--url", "http://llm.invalid:81", "--artifact-dir", folder, ...RUN],
      ...["--connect-to", `127.0.0.1:${server.port}`],
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(server.hosts.get("/v1/chat/completions"), new Set(["llm.invalid:81"]));
    assert.deepEqual(server.hosts.get("/metrics"), new Set(["llm.invalid:81"]));
  }));

Deno.test("TLS proves the name of the URL where --connect-to names an address", {
  ignore: !HAS_OPENSSL,
}, () =>
  withFolder(async (folder) => {
    const authority = await makeAuthority(`${folder}/ca`);
    const { cert, key } = await authority.sign("server", ["DNS:llm.invalid"]);
    await using server = startServer({ cert, key });
    const args = (host: string) => [
      ...["profile", "--url", `https://${host}`, "--artifact-dir", `${folder}/${host}`, ...RUN],
      ...["--connect-to", `127.0.0.1:${server.port}`, "--ca-cert", authority.certPath],
    ];
    const right = await runCli(args("llm.invalid"));
    assert.equal(right.code, 0, right.stderr);
    assert.deepEqual(server.hosts.get("/v1/chat/completions"), new Set(["llm.invalid"]));
    const wrong = await runCli([...args("other.invalid"), "--model", "m"]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout + wrong.stderr, /not valid for name "other.invalid"/);
  }));

Deno.test("routes that cannot be taken are refused by their option", async () => {
  const profile = ["profile", "--url", "127.0.0.1:9", "--model", "m", "--dry-run"];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--connect-to", "nowhere"], /--connect-to.*Must be host:port/],
    [["--connect-to", "a=b:1"], /--connect-to.*Must be host:port/],
    [["--connect-to", "127.0.0.1:1", "--transport", "fetch"], /--connect-to.*--transport socket/],
    [["--header", "Host: a", "--transport", "fetch"], /--header.*--transport socket/],
    [["--header", "Host: a b"], /--header.*Not a host/],
    [["--header", "Host: a", "--header", "host: b"], /--header.*once/],
    [["--header", "Content-Length: 3"], /--header.*set by the client itself/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCli([...profile, ...args]);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

Deno.test("profile takes full URLs as they are, and the endpoint type from their path", async (t) => {
  const cases = [
    ["/v1/chat/completions", [], "chat"],
    ["/proxy/v1/chat/completions/", [], "chat"],
    ["/v1/completions", ["--endpoint-type", "chat"], "chat"],
    ["/v1/embeddings", [], "embeddings"],
    ["/v1/responses", [], "responses"],
  ] as const;
  for (const [path, args, type] of cases) {
    await t.step(`${path} ${args.join(" ")}`, () =>
      withFolder(async (folder) => {
        await using server = startServer();
        await runCli([
          ...["profile", "--url", `127.0.0.1:${server.port}${path}`, "--model", "m", ...args],
          ...["--artifact-dir", folder, ...RUN],
        ]);
        const asked = [...server.hosts.keys()].filter((path) =>
          /\/(?:completions|embeddings|responses)/.test(path)
        );
        assert.deepEqual(asked, [path.replace(/\/$/, "")]);
        const { facts: { plan } } = JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`));
        assert.equal(plan.endpointType, type);
      }));
  }
});

Deno.test("profile names the path that a server does not have, also in a short run", () =>
  withFolder(async (folder) => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => Response.json({ detail: "Not Found" }, { status: 404 }),
    );
    const { code, stdout, stderr } = await runCli([
      ...["profile", "--url", `127.0.0.1:${server.addr.port}/base?key=abcd`, "--model", "m"],
      ...["--artifact-dir", folder, ...RUN],
    ]);
    assert.equal(code, 1);
    assert.match(stdout + stderr, /\/base\/v1\/chat\/completions/);
    assert.match(
      await Deno.readTextFile(`${folder}/profile_export.jsonl`),
      /asked for \/base\/v1\/chat\/completions, check --url and --endpoint-type; the server said: Not Found/,
    );
  }));
