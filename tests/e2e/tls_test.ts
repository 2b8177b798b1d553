/** Servers that prove who they are, and those that do not. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { type Authority, HAS_OPENSSL, makeAuthority } from "../support/certificates.ts";
import { PROFILE, type ProfileRun, runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

const ignore = !HAS_OPENSSL;
const TRANSPORTS = ["socket", "fetch"];

/** Runs a test with an authority of its own. */
function withAuthority(
  test: (authority: Authority, folder: string) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => test(await makeAuthority(`${folder}/authority`), folder));
}

/** What every run of a test says. */
function args(url: string, transport = "socket"): string[] {
  return [
    ...["--url", url, "--model", "m", "--streaming", "--request-count", "4", "--isl", "10"],
    ...["--concurrency", "2", "--transport", transport, "--export-http-trace"],
  ];
}

/** Checks that all requests failed for one reason, told in one line. */
function assertRefused({ code, stdout, stderr, artifacts }: ProfileRun, reason: RegExp): void {
  assert.equal(code, 1);
  assert.equal(stderr, "error: No request succeeded\n");
  const { records, json } = artifacts;
  assert.equal(records.length, 4);
  for (const { error } of records) {
    assert.equal(error?.kind, "tls", error?.message);
    assert.match(error?.message ?? "", reason);
    assert.doesNotMatch(error?.message ?? "", /\n|\.(ts|rs):\d+/);
  }
  assert.equal(json.error_summary.length, 1);
  // In the table a message may be broken into lines.
  const table = stdout.replace(/[│\s]+/g, " ");
  assert.match(table, /tls/);
}

Deno.test(
  "profile trusts the authority of --ca-cert",
  { ignore },
  (t) =>
    withAuthority(async (authority, folder) => {
      const tls = await authority.sign("server", ["DNS:localhost", "IP:127.0.0.1"]);
      await using server = startRecordingServer({ tls });
      for (const transport of TRANSPORTS) {
        for (const host of ["localhost", "127.0.0.1"]) {
          await t.step(`${transport}, ${host}`, async () => {
            const { code, stderr, artifacts } = await runProfile(`${folder}/${transport}-${host}`, [
              ...args(`https://${host}:${server.port}`, transport),
              ...["--ca-cert", authority.certPath],
            ]);
            assert.equal(code, 0, stderr);
            const { json } = artifacts;
            assert.equal(json.request_count.avg, 4);
            if (transport === "fetch") return;
            const { http_req_tls_handshaking: handshake, http_req_connecting: connecting } = json;
            assert.ok(handshake.min > 0 && handshake.max <= connecting.max);
            assert.equal(handshake.count, 4 - json.http_req_connection_reused.sum);
          });
        }
      }
      await t.step("to ask for the model, and to wait for it", async () => {
        const { code, stderr, artifacts } = await runProfile(`${folder}/model`, [
          ...["--url", `https://localhost:${server.port}`, "--ca-cert", authority.certPath],
          ...["--wait-for-model-timeout", "10m", "--request-count", "2"],
        ]);
        assert.equal(code, 0, stderr);
        assert.equal(artifacts.json.input_config.models.items[0].name, "recorded");
      });
    }),
);

Deno.test(
  "profile refuses a server that does not prove who it is",
  { ignore },
  (t) =>
    withAuthority(async (authority, folder) => {
      const good = await authority.sign("good", ["DNS:localhost", "IP:127.0.0.1"]);
      const other = await authority.sign("other", ["DNS:elsewhere.test"]);
      const expired = await authority.sign("expired", ["DNS:localhost"], [
        "20200101000000Z",
        "20210203000000Z",
      ]);
      const early = await authority.sign("early", ["DNS:localhost"], [
        "20900101000000Z",
        "20910101000000Z",
      ]);
      const trust = ["--ca-cert", authority.certPath];
      const cases = {
        "an unknown issuer": [good, [], /UnknownIssuer/],
        "another name": [other, trust, /not valid for name "localhost"/],
        "an expired certificate": [expired, trust, /expired/],
        "a certificate of the future": [early, trust, /not valid (yet|before)/],
        "the authority's own certificate": [authority, trust, /CaUsedAsEndEntity/],
      } as const;
      for (const [name, [tls, flags, reason]] of Object.entries(cases)) {
        for (const transport of TRANSPORTS) {
          await t.step(`${name}, ${transport}`, async () => {
            await using server = startRecordingServer({ tls });
            const run = await runProfile(`${folder}/run`, [
              ...[...args(`https://localhost:${server.port}`, transport), ...flags, "--overwrite"],
            ]);
            assertRefused(run, reason);
            assert.equal(server.requests.length, 0);
          });
        }
      }
    }),
);

Deno.test(
  "profile that asks for the model of a server which it does not trust says what helps",
  { ignore },
  () =>
    withAuthority(async (authority, folder) => {
      const tls = await authority.sign("good", ["DNS:localhost", "IP:127.0.0.1"]);
      await using server = startRecordingServer({ tls });
      const ask = async (scheme: string): Promise<string> => {
        const { code, stderr } = await runCli([
          ...["profile", "--url", `${scheme}://localhost:${server.port}`],
          ...["--artifact-dir", `${folder}/asked`, "--ui", "none"],
        ]);
        assert.equal(code, 1);
        return stderr;
      };
      assert.match(
        await ask("https"),
        /UnknownIssuer.*; trust its issuer with --ca-cert, or [^\n]+\n$/,
      );
      assert.match(await ask("http"), /; use https:\/\/ in --url\n$/);
    }),
);

Deno.test(
  "profile tells which end speaks TLS and which does not",
  { ignore },
  (t) =>
    withAuthority(async (authority, folder) => {
      await t.step("https to a plain server", async () => {
        await using server = startRecordingServer();
        const run = await runProfile(`${folder}/plain`, args(`https://127.0.0.1:${server.port}`));
        assertRefused(run, /^TLS handshake with 127\.0\.0\.1:\d+ failed: /);
      });
      await t.step("http to a server with TLS", async () => {
        const tls = await authority.sign("server", ["IP:127.0.0.1"]);
        await using server = startRecordingServer({ tls });
        const { code, artifacts } = await runProfile(
          `${folder}/tls`,
          args(`http://127.0.0.1:${server.port}`),
        );
        assert.equal(code, 1);
        const kinds = new Set(artifacts.records.map(({ error }) => error?.kind));
        const closed = new Set(["protocol", "truncated", "connection_closed"]);
        assert.ok(kinds.isSubsetOf(closed), [...kinds].join());
        assert.equal(server.requests.length, 0);
      });
      await t.step("a server that is silent in the handshake", async () => {
        const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        const { port } = listener.addr as Deno.NetAddr;
        const connections: Deno.TcpConn[] = [];
        const accepting = (async () => {
          for await (const connection of listener) connections.push(connection);
        })();
        const { code, artifacts } = await runProfile(`${folder}/silent`, [
          ...[...args(`https://127.0.0.1:${port}`), "--request-timeout-seconds", "300ms"],
        ]);
        assert.equal(code, 1);
        assert.ok(artifacts.records.every(({ error }) => error?.kind === "timeout"));
        listener.close();
        await accepting;
        for (const connection of connections) connection.close();
      });
      await t.step("a file that is no certificate", async () => {
        const { code, stderr } = await runCli([
          ...[...PROFILE, ...args("https://127.0.0.1:9"), "--artifact-dir", `${folder}/none`],
          ...["--ca-cert", authority.keyPath],
        ]);
        assert.equal(code, 2);
        assert.match(stderr, /^error: --ca-cert: There is no PEM certificate in [^\n]*ca\.key\n$/);
      });
    }),
);

/** A way to a server that takes its time. */
interface SlowWay extends Disposable {
  readonly port: number;
  readonly connections: number;
  /** Longest that a client waited for the server's part of a handshake. */
  readonly longestHandshakeMs: number;
}

/** Passes connections on to a server, after a while. */
function slowWay(port: number, delayMs: number): SlowWay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const state = { connections: 0, longestHandshakeMs: 0 };
  const carry = async (client: Deno.TcpConn): Promise<void> => {
    const acceptedMs = performance.now();
    // Not to wait for something: this is how slow the way is.
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const server = await Deno.connect({ hostname: "127.0.0.1", port });
    let pieces = 0;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        // With the second piece the client ends its part of the handshake.
        if (++pieces === 2) {
          const handshakeMs = performance.now() - acceptedMs;
          state.longestHandshakeMs = Math.max(state.longestHandshakeMs, handshakeMs);
        }
        controller.enqueue(bytes);
      },
    });
    client.readable.pipeThrough(watched).pipeTo(server.writable).catch(() => {});
    server.readable.pipeTo(client.writable).catch(() => {});
  };
  (async () => {
    for await (const client of listener) {
      state.connections++;
      carry(client);
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    get connections() {
      return state.connections;
    },
    get longestHandshakeMs() {
      return state.longestHandshakeMs;
    },
    [Symbol.dispose]: () => listener.close(),
  };
}

Deno.test(
  "profile opens no connection twice because its handshake takes long",
  { ignore },
  () =>
    withAuthority(async (authority, folder) => {
      const tls = await authority.sign("server", ["IP:127.0.0.1"]);
      await using server = startRecordingServer({ tls });
      using way = slowWay(server.port, 250);
      const { code, stderr, artifacts } = await runProfile(folder + "/run", [
        ...[...args(`https://127.0.0.1:${way.port}`), "--ca-cert", authority.certPath],
        "--no-server-info",
      ]);
      assert.equal(code, 0, stderr);
      // The client goes without a connection that takes a second: on a very busy machine, these.
      if (way.longestHandshakeMs < 900) {
        assert.equal(way.connections, 2, "as many as requests in flight");
      }
      assert.ok(way.connections <= 4);
      // What opening a connection cost is told by the first request on it.
      const { http_req_connecting: connecting, time_to_first_token: ttft } = artifacts.json;
      assert.ok(connecting.max > 249);
      assert.equal(artifacts.json.http_req_connection_reused.sum, 2);
      assert.ok(ttft.min > 0);
    }),
);
