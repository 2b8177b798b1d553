import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { hasPython, mutualTlsServer } from "../support/mutual_tls_server.ts";
import { runCli } from "../support/run_cli.ts";

const TLS = fileURLToPath(new URL("../../fixtures/tls/", import.meta.url));
const CLIENT = ["--client-cert", `${TLS}client.pem`, "--client-key", `${TLS}client.key`];

async function run(port: number, folder: string, args: readonly string[]) {
  return await runCli([
    ...["profile", "--url", `https://localhost:${port}`, "--streaming", "--concurrency", "2"],
    ...["--request-count", "6", "--no-server-metrics"],
    ...["--ca-cert", `${TLS}ca.pem`, "--artifact-dir", `${folder}/artifacts`, ...args],
  ]);
}

Deno.test({
  name: "profile proves itself with a client certificate where a server asks for one",
  ignore: !hasPython(),
  async fn(t) {
    for (const transport of ["socket", "fetch"]) {
      await t.step(`${transport} transport`, () =>
        withFolder(async (folder) => {
          await using server = await mutualTlsServer(TLS);
          const options = [...CLIENT, "--transport", transport];
          const { code, stderr } = await run(server.port, folder, options);
          assert.equal(code, 0, stderr);
          // The model was asked for over such a connection as well.
          const { json, records } = await readArtifacts(`${folder}/artifacts`);
          assert.equal(json["input_config"]["models"]["items"][0]["name"], "mutual");
          assert.equal(records.length, 6);
          assert.deepEqual(await server.end(), Array(6).fill("client"));
        }));
    }
  },
});

Deno.test({
  name: "a server that asks for a client certificate in vain is told with the options that help",
  ignore: !hasPython(),
  async fn(t) {
    for (const transport of ["socket", "fetch"]) {
      await t.step(`${transport} transport`, () =>
        withFolder(async (folder) => {
          await using server = await mutualTlsServer(TLS);
          const options = ["--model", "m", "--transport", transport];
          const { code, stderr, stdout } = await run(server.port, folder, options);
          assert.equal(code, 1);
          assert.match(stderr, /No request succeeded/);
          assert.match(stdout, /--client-cert/);
          assert.deepEqual(await server.end(), []);
        }));
    }
  },
});

Deno.test("profile refuses client certificates that cannot be used, and says why", async (t) => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["certificate without key", CLIENT.slice(0, 2), /--client-cert: Needs --client-key/],
    ["key without certificate", CLIENT.slice(2), /--client-key: Needs --client-cert/],
    [
      "no such file",
      ["--client-cert", `${TLS}none.pem`, ...CLIENT.slice(2)],
      /--client-cert: Cannot read .*none\.pem/,
    ],
    [
      "certificate for a key",
      [...CLIENT.slice(0, 2), "--client-key", `${TLS}client.pem`],
      /--client-key: There is no PEM private key in .*client\.pem/,
    ],
    [
      "key for a certificate",
      ["--client-cert", `${TLS}client.key`, ...CLIENT.slice(2)],
      /--client-cert: There is no PEM certificate in .*client\.key/,
    ],
    [
      "key of another certificate",
      [...CLIENT.slice(0, 2), "--client-key", `${TLS}server.key`],
      /--client-key: The key in .*server\.key is not that of the certificate/,
    ],
  ];
  for (const [name, options, message] of cases) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const { code, stderr } = await run(1, folder, ["--model", "m", ...options]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
        assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      }));
  }
});

Deno.test("profile refuses to leave certificates unchecked, and says what to do instead", async () => {
  const { code, stderr } = await runCli(["profile", "--url", "https://localhost:1", "--insecure"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: --insecure: Certificate checks cannot be disabled.*--ca-cert\n$/);
});
