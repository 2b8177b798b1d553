import assert from "node:assert/strict";
import { ENDPOINT_TYPES } from "../../../../src/client/endpoint/endpoint_types.ts";
import {
  knownEnding,
  streamingPathOf,
  typeOfUrls,
} from "../../../../src/config/plan/servers/full_url.ts";
import { metricsOfServer } from "../../../../src/config/plan/servers/metrics_url.ts";

Deno.test("knownEnding finds the path of every endpoint type, also behind a prefix", () => {
  for (const type of ENDPOINT_TYPES.values()) {
    for (const own of [type.path, type.streamingPath ?? ""]) {
      if (own === "") continue;
      const path = own.replace("{model_name}", "a-model");
      for (const pathname of [path, `/proxy/x${path}`, `${path}/`]) {
        const ending = knownEnding(pathname);
        assert.equal(ending?.path, path, pathname);
        assert.ok(ending.types.includes(type), `${pathname} of ${type.name}`);
      }
    }
  }
  for (const path of ["", "/", "/v1", "/chat", "/myrerank", "/v1/chat/completions/x"]) {
    assert.equal(knownEnding(path), undefined, path);
  }
});

Deno.test("streamingPathOf turns the path for whole replies into the one for streams", () => {
  let turned = 0;
  for (const type of ENDPOINT_TYPES.values()) {
    const { path, streamingPath = path } = type;
    const [whole, streamed] = [path, streamingPath].map((own) => own.replace("{model_name}", "m"));
    for (const prefix of ["", "/proxy/x"]) {
      for (const given of [whole, streamed, `${whole}/`]) {
        const got = streamingPathOf(`${prefix}${given}`, type);
        assert.equal(got, `${prefix}${streamed}`, type.name);
      }
    }
    if (streamed !== whole) turned++;
  }
  assert.ok(turned >= 2);
  assert.equal(streamingPathOf("/other/path", { path: "/a", streamingPath: "/b" }), "/other/path");
});

Deno.test("typeOfUrls takes the longest path, and the type that is called like it", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["http://h/v1/embeddings", "embeddings"],
    ["h:1/openai/v1/completions?api-version=1", "completions"],
    ["https://h/v1/messages/", "messages"],
    ["http://h/generate", "generate"],
    ["http://h/v2/models/m/generate", "kserve"],
    ["http://h/v2/rerank", "cohere-rankings"],
    ["http://h/v1/responses,http://i/v1", "responses"],
    ["http://h", undefined],
  ];
  for (const [url, name] of cases) assert.equal(typeOfUrls([url])?.types[0].name, name, url);
  assert.throws(
    () => typeOfUrls(["http://h/v1/embeddings", "http://i/v1/completions"]),
    /^UsageError: --url: .*embeddings and completions: name one with --endpoint-type$/,
  );
});

Deno.test("metricsOfServer derives the metrics of full URLs from the server", () => {
  for (const path of ["/v1/completions", "/generate", "/api/chat", "/v2/models/m/infer"]) {
    const url = `http://h:1/base${path}`;
    assert.equal(metricsOfServer(url).endpoint.redactedUrl, "http://h:1/base/metrics", path);
  }
});
