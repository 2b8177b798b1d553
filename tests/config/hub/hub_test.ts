import assert from "node:assert/strict";
import { cachedFolder } from "../../../src/config/hub/cached_folder.ts";
import { fetchHubFile, HubError } from "../../../src/config/hub/fetch_hub_file.ts";
import { isHubName } from "../../../src/config/hub/hub_name.ts";
import { hubSettings } from "../../../src/config/hub/hub_settings.ts";
import { deadAddress } from "../../support/dead_address.ts";
import { withFolder } from "../../support/artifacts.ts";

Deno.test("hubSettings finds cache and hub where Hugging Face's tools do", () => {
  const settings = (variables: Record<string, string>) => hubSettings((name) => variables[name]);
  const cache = (variables: Record<string, string>) => settings(variables).cacheFolder;
  assert.equal(cache({}), undefined);
  assert.equal(cache({ HOME: "/h" }), "/h/.cache/huggingface/hub");
  assert.equal(cache({ USERPROFILE: "/u", HOME: "" }), "/u/.cache/huggingface/hub");
  assert.equal(cache({ HOME: "/h", XDG_CACHE_HOME: "/x" }), "/x/huggingface/hub");
  assert.equal(cache({ HOME: "/h", XDG_CACHE_HOME: "/x", HF_HOME: "/f" }), "/f/hub");
  assert.equal(cache({ HF_HOME: "/f", HF_HUB_CACHE: "/c" }), "/c");
  assert.equal(settings({}).endpoint, "https://huggingface.co");
  assert.equal(settings({ HF_ENDPOINT: "http://m:8/x//" }).endpoint, "http://m:8/x");
  assert.equal(settings({ HF_TOKEN: "" }).token, undefined);
  for (const [text, offline] of [["1", true], ["TRUE", true], ["0", false], ["", false]] as const) {
    assert.equal(settings({ HF_HUB_OFFLINE: text }).isOffline, offline, text);
  }
});

Deno.test("isHubName takes names of models, and no paths", () => {
  for (const name of ["gpt2", "Qwen/Qwen3-0.6B", "a_b/c.d-e"]) assert.ok(isHubName(name), name);
  const others = ["", "/a/b", "./a", "a/b/c", "../a", "a/..b", "a/../b", "a b", "a/", "a\nb", "-a"];
  for (const name of others) assert.ok(!isHubName(name), name);
});

Deno.test("cachedFolder finds the revision that refs/main names, else the newest snapshot", () =>
  withFolder(async (cache) => {
    const model = `${cache}/models--org--name`;
    const find = () => cachedFolder(cache, "org/name", "tokenizer.json");
    assert.equal(await find(), undefined);
    assert.equal(await cachedFolder(undefined, "org/name", "tokenizer.json"), undefined);
    for (const [revision, seconds] of [["aaa", 100], ["bbb", 200], ["ccc", 300]] as const) {
      const folder = `${model}/snapshots/${revision}`;
      await Deno.mkdir(folder, { recursive: true });
      // A snapshot's files are links into the folder of blobs.
      await Deno.mkdir(`${model}/blobs`, { recursive: true });
      await Deno.writeTextFile(`${model}/blobs/${revision}`, "{}");
      const link = revision === "ccc" ? "config.json" : "tokenizer.json";
      await Deno.symlink(`../../blobs/${revision}`, `${folder}/${link}`);
      await Deno.utime(folder, seconds, seconds);
    }
    assert.equal(await find(), `${model}/snapshots/bbb`, "the newest that has the file");
    await Deno.mkdir(`${model}/refs`);
    await Deno.writeTextFile(`${model}/refs/main`, "aaa\n");
    assert.equal(await find(), `${model}/snapshots/aaa`);
    assert.equal(await cachedFolder(cache, "org/../x", "tokenizer.json"), undefined);
  }));

/** A stand-in of a hub's files. */
function startHub(answer: (request: Request) => Response) {
  const keys: (string | null)[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    keys.push(request.headers.get("authorization"));
    return answer(request);
  });
  return {
    keys,
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("fetchHubFile fetches from the hub alone, with its token", async () => {
  await using hub = startHub(({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/org/name/resolve/main/a.json") return new Response("text");
    if (pathname === "/org/name/resolve/main/moved.json") {
      return new Response(null, { status: 307, headers: { location: "/elsewhere" } });
    }
    if (pathname === "/elsewhere") return new Response("moved");
    if (pathname === "/org/name/resolve/main/away.json") {
      const headers = { location: "http://foreign.invalid/x" };
      return new Response(null, { status: 302, headers });
    }
    if (pathname === "/org/name/resolve/main/circle.json") {
      return new Response(null, { status: 302, headers: { location: pathname } });
    }
    if (pathname === "/org/name/resolve/main/none.json") {
      return new Response("", { status: 404, headers: { "x-error-code": "EntryNotFound" } });
    }
    return new Response("secret token", { status: pathname.includes("gated") ? 401 : 404 });
  });
  const fetchFile = (file: string, model = "org/name") =>
    fetchHubFile({ endpoint: hub.endpoint, repository: model, file, token: "sesame" });
  const refused = (promise: Promise<unknown>, reason: RegExp) =>
    assert.rejects(promise, (error) => error instanceof HubError && reason.test(error.message));
  assert.equal(await fetchFile("a.json"), "text");
  assert.equal(hub.keys[0], "Bearer sesame");
  assert.equal(await fetchFile("moved.json"), "moved");
  assert.equal(await fetchFile("none.json"), undefined);
  await refused(fetchFile("away.json"), /redirects to another host, foreign\.invalid/);
  await refused(fetchFile("circle.json"), /in a circle/);
  await refused(fetchFile("a.json", "org/gated"), /HTTP 401: it needs a token \(HF_TOKEN\)/);
  await refused(fetchFile("a.json", "org/unknown"), /the model, dataset or file does not exist/);
  const { endpoint } = hub;
  await hub[Symbol.asyncDispose]();
  await refused(
    fetchHubFile({ endpoint, repository: "a", file: "b", token: undefined }),
    /connection refused/,
  );
});

Deno.test("fetchHubFile names a hub without its password", () =>
  assert.rejects(
    fetchHubFile({
      endpoint: `http://user:pa55-w0rd@${deadAddress()}`,
      ...{ repository: "a", file: "b", token: undefined },
    }),
    (error: Error) => /<redacted>@127/.test(error.message) && !/pa55/.test(error.message),
  ));
