/** Secrets appear nowhere, and go nowhere but to the server they are for. */

import assert from "node:assert/strict";
import { disguises } from "../core/secrets/attack_table.ts";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import {
  type Answer,
  eventStream,
  type ReceivedRequest,
  startRecordingServer,
} from "../support/recording_server.ts";
import { type CliResult, runCli } from "../support/run_cli.ts";
import { scriptedServer } from "../support/scripted_server.ts";

/** Long, random, and with characters that URLs, JSON, shells and patterns write in their own ways. */
const SECRET = "sk-Zq7&/+\"x'\\Vt.9*(w";
/** One that can stand anywhere in a URL as it is. */
const PLAIN_SECRET = "sk-Zq7xVt9wHf3kTr5m";

/** Every form in which a text may show a secret. */
function formsOf(secret: string): string[] {
  const { "cut off": _, "masked": __, ...whole } = disguises(secret);
  return [
    ...Object.values(whole),
    encodeURIComponent(secret).replaceAll("'", "%27"),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("'", `'\\''`),
    btoa(secret.slice(0, 12)),
    secret.slice(0, 12),
  ];
}

/** Checks that neither the terminal nor a file shows a secret. */
async function assertHidden(secret: string, result: CliResult, folder: string): Promise<void> {
  const texts: [string, string][] = [["stdout", result.stdout], ["stderr", result.stderr]];
  const collect = async (directory: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      const path = `${directory}/${name}`;
      if (isDirectory) await collect(path);
      else texts.push([path, await Deno.readTextFile(path)]);
    }
  };
  await collect(folder);
  for (const [place, text] of texts) {
    for (const form of formsOf(secret)) {
      const at = text.indexOf(form);
      const around = text.slice(Math.max(0, at - 60), at + 60);
      assert.ok(at < 0, `the secret stands in ${place}: ...${around}...`);
    }
  }
}

/** Everything that a request says, as a server may repeat it. */
function echoOf({ path, headers, body }: ReceivedRequest): string {
  const names = ["authorization", "x-api-key", "ocp-apim-subscription-key", "x-custom"];
  const key = names.map((name) => headers.get(name)).find((value) => value !== null) ?? "";
  const basic = key.startsWith("Basic ") ? atob(key.slice("Basic ".length)) : "";
  return [key, basic, path, decodeURIComponent(path), JSON.parse(body).api_key ?? ""].join(" ");
}

/** Ways in which a server may repeat what it was told. */
const ECHOES: Readonly<Record<string, Answer>> = {
  "in the body of an error": (request) =>
    new Response(JSON.stringify({ "error": { "message": `Wrong: ${echoOf(request)}` } }), {
      status: 401,
    }),
  "as plain text": (request) => new Response(`Wrong: ${echoOf(request)}`, { status: 403 }),
  "in disguise": (request) =>
    new Response(
      echoOf(request).split(" ").filter((word) =>
        word.length > 7 && word !== "/v1/chat/completions"
      ).flatMap((word) => Object.values(disguises(word))).join("\n"),
      { status: 400 },
    ),
  "in the target of a redirect": (request) =>
    new Response(null, {
      status: 307,
      headers: { "Location": `http://127.0.0.1:9/?key=${encodeURIComponent(echoOf(request))}` },
    }),
  "as an error in the stream": (request) =>
    eventStream(`data: ${JSON.stringify({ "error": { "message": echoOf(request) } })}\n\n`),
  "in a malformed event": (request) =>
    eventStream(`data: {broken ${echoOf(request)}\n\ndata: [DONE]\n\n`),
  "as the answer": (request) =>
    eventStream(
      `: ${echoOf(request).replace(/[\r\n]/g, " ")}\n\ndata: ${
        JSON.stringify({
          "id": echoOf(request),
          "choices": [{
            "index": 0,
            "delta": { "content": echoOf(request) },
            "finish_reason": "stop",
          }],
        })
      }\n\ndata: [DONE]\n\n`,
    ),
};

/** Ways in which a user may give a secret. */
interface Way {
  readonly secret: string;
  readonly args: (url: string) => string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What a configuration file says. */
  readonly config?: (url: string) => string;
  /** Whether the server got it. */
  readonly arrived: (request: ReceivedRequest) => boolean;
}

const isBearer = (secret: string) => ({ headers }: ReceivedRequest) =>
  headers.get("authorization") === `Bearer ${secret}`;
const inUrl = (text: string) => (url: string) => ["--url", url.replace("://", `://${text}`)];
const isBasic = (secret: string) => ({ headers }: ReceivedRequest) =>
  headers.get("authorization") === `Basic ${btoa(`user:${secret}`)}`;
const inQuery = (secret: string) => ({ path }: ReceivedRequest) =>
  new URL(path, "http://host").searchParams.get("api_key") === secret;

const hasHeader = (name: string, value: string) => ({ headers }: ReceivedRequest) =>
  headers.get(name) === value;

const WAYS: Readonly<Record<string, Way>> = {
  "--api-key": {
    secret: SECRET,
    args: (url) => ["--url", url, "--api-key", SECRET],
    arrived: isBearer(SECRET),
  },
  "--api-key=": {
    secret: SECRET,
    args: (url) => ["--url", url, `--api-key=${SECRET}`],
    arrived: isBearer(SECRET),
  },
  "the variable of --api-key": {
    secret: SECRET,
    args: (url) => ["--url", url],
    env: { "INFEROMETER_API_KEY": SECRET },
    arrived: isBearer(SECRET),
  },
  "the file of --config": {
    secret: SECRET,
    args: () => [],
    config: (url) => `url: [${url}]\napi_key: ${JSON.stringify(SECRET)}\n`,
    arrived: isBearer(SECRET),
  },
  "--header": {
    secret: SECRET,
    args: (url) => ["--url", url, "--header", `Authorization: Bearer ${SECRET}`],
    arrived: isBearer(SECRET),
  },
  "--header=": {
    secret: SECRET,
    args: (url) => ["--url", url, `--header=X-Api-Key: ${SECRET}`],
    arrived: hasHeader("x-api-key", SECRET),
  },
  "-H": {
    secret: SECRET,
    args: (url) => ["--url", url, "-H", `x-api-key:${SECRET}`],
    arrived: hasHeader("x-api-key", SECRET),
  },
  "--header with JSON": {
    secret: SECRET,
    args: (url) => ["--url", url, "--header", JSON.stringify({ "X-Api-Key": SECRET })],
    arrived: hasHeader("x-api-key", SECRET),
  },
  "a header whose name ends in key": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", url, "-H", `Ocp-Apim-Subscription-Key: ${PLAIN_SECRET}`],
    arrived: hasHeader("ocp-apim-subscription-key", PLAIN_SECRET),
  },
  "a header with a random value": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", url, "-H", `X-Custom: ${PLAIN_SECRET}`],
    arrived: hasHeader("x-custom", PLAIN_SECRET),
  },
  "a header with user and password": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", url, "-H", `Authorization: Basic ${btoa(`user:${PLAIN_SECRET}`)}`],
    arrived: isBasic(PLAIN_SECRET),
  },
  "--extra-inputs": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", url, "--extra-inputs", `api_key:${PLAIN_SECRET}`],
    arrived: ({ body }) => JSON.parse(body).api_key === PLAIN_SECRET,
  },
  "--extra-inputs with JSON": {
    secret: SECRET,
    args: (url) => ["--url", url, "--extra-inputs", JSON.stringify({ "api_key": SECRET })],
    arrived: ({ body }) => JSON.parse(body).api_key === SECRET,
  },
  "a password in the URL": {
    secret: PLAIN_SECRET,
    args: inUrl(`user:${PLAIN_SECRET}@`),
    arrived: isBasic(PLAIN_SECRET),
  },
  "an encoded password in the URL": {
    secret: SECRET,
    args: inUrl(`user:${encodeURIComponent(SECRET)}@`),
    arrived: isBasic(SECRET),
  },
  "a password with a stray percent sign": {
    secret: `100%${PLAIN_SECRET}`,
    args: inUrl(`user:100%${PLAIN_SECRET}@`),
    arrived: isBasic(`100%${PLAIN_SECRET}`),
  },
  "a password in a URL without a scheme": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", url.replace("http://", `user:${PLAIN_SECRET}@`)],
    arrived: isBasic(PLAIN_SECRET),
  },
  "a key in the URL's query": {
    secret: PLAIN_SECRET,
    args: (url) => ["--url", `${url}/?api_key=${PLAIN_SECRET}`],
    arrived: inQuery(PLAIN_SECRET),
  },
  "an encoded key in the URL's query": {
    secret: SECRET,
    args: (url) => [`--url=${url}/?api_key=${encodeURIComponent(SECRET)}`],
    arrived: inQuery(SECRET),
  },
};

/** Runs with a secret given in some way. */
async function runWith(
  way: Way,
  url: string,
  folder: string,
  ...args: string[]
): Promise<CliResult> {
  const config: string[] = [];
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  if (way.config !== undefined) {
    await Deno.writeTextFile(path, way.config(url));
    config.push("--config", path);
  }
  try {
    return await runCli([
      ...["profile", "--artifact-dir", `${folder}/run`, "--streaming", "--request-count", "3"],
      ...["--export-level", "raw", "--isl", "10", ...way.args(url), ...config, ...args],
    ], { env: way.env ?? {} });
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("profile shows a secret nowhere, however it is given", async (t) => {
  for (const [name, way] of Object.entries(WAYS)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        // Each request is repeated in another way.
        const answers = Object.values(ECHOES);
        await using server = startRecordingServer({
          answer: (request, number) =>
            (answers[number % answers.length] as Answer)(request, number),
        });
        const count = String(answers.length);
        const result = await runWith(way, server.url, folder, "--request-count", count);
        assert.equal(server.requests.length, answers.length, result.stderr);
        assert.ok(server.requests.every(way.arrived), "the server gets the secret");
        await assertHidden(way.secret, result, folder);
        const records = await Deno.readTextFile(`${folder}/run/profile_export.jsonl`);
        const errors = records.trimEnd().split("\n").map((line) => JSON.parse(line).error);
        const told = errors.filter((error) => error?.message.includes("<redacted>"));
        assert.equal(told.length, answers.length - 1, "that something was repeated is told");
      }));
  }
});

/** Ways in which an endpoint of metrics may answer. */
const PAGES: Readonly<Record<string, (head: string) => [status: string, body: string]>> = {
  "a page": () => ["200 OK", "# TYPE running gauge\nrunning 1\n"],
  "a refusal that repeats the request": (head) => ["401 Unauthorized", head],
};

Deno.test("profile shows no secret of a metrics endpoint's URL", async (t) => {
  for (const [name, page] of Object.entries(PAGES)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        let authorized = false;
        using metrics = scriptedServer(async ({ head, reply }) => {
          authorized ||= head.includes(`Basic ${btoa(`user:${PLAIN_SECRET}`)}`);
          const [status, body] = page(head);
          await reply(
            `HTTP/1.1 ${status}\r\nContent-Type: text/plain; version=0.0.4\r\n` +
              `Content-Length: ${body.length}\r\n\r\n${body}`,
          );
        });
        await using server = startRecordingServer();
        const result = await runCli([
          ...["profile", "--url", server.url, "--model", "m", "--artifact-dir", `${folder}/run`],
          ...[
            "--request-count",
            "3",
            "--server-metrics-formats",
            "json",
            "csv",
            "jsonl",
            "parquet",
          ],
          "--server-metrics",
          `http://user:${PLAIN_SECRET}@127.0.0.1:${metrics.port}/metrics?token=${PLAIN_SECRET}`,
        ]);
        assert.equal(result.code, 0, result.stderr);
        assert.ok(authorized, "the endpoint gets the secret");
        await assertHidden(PLAIN_SECRET, result, folder);
      }));
  }
});

Deno.test("--server-metrics-header goes to the endpoint of its URL alone, and is shown nowhere", async (t) => {
  const page = "# TYPE running gauge\nrunning 1\n";
  const run = async (command: "profile" | "scrape", status: string, body?: string) => {
    await withFolder(async (folder) => {
      const heads: Record<string, string[]> = { "named": [], "other": [] };
      const endpoint = (name: string) =>
        scriptedServer(async ({ head, reply }) => {
          heads[name]?.push(head);
          const text = body ?? head;
          await reply(
            `HTTP/1.1 ${status}\r\nContent-Type: text/plain; version=0.0.4\r\n` +
              `Content-Length: ${text.length}\r\n\r\n${text}`,
          );
        });
      using named = endpoint("named");
      using other = endpoint("other");
      await using server = startRecordingServer();
      const urls = [`http://${named.host}/metrics?a=b`, `${other.host}`];
      const result = await runCli([
        ...(command === "scrape"
          ? ["scrape", ...urls, "--duration", "0.2"]
          : ["profile", "--url", server.url, "--model", "m", "--request-count", "3"]),
        ...(command === "scrape" ? [] : ["--server-metrics", ...urls]),
        ...["--artifact-dir", `${folder}/run`, "--record", `${folder}/pages.jsonl`],
        ...["--server-metrics-header", `${named.host}/metrics?a=b=X-Api-Key: ${PLAIN_SECRET}`],
        ...[
          "--server-metrics-header",
          `http://${named.host}=Authorization: Bearer ${PLAIN_SECRET}`,
        ],
        `--server-metrics-header=${named.host}=X-Tenant: blue`,
      ]);
      if (body !== undefined) assert.equal(result.code, 0, result.stderr);
      const [head = ""] = heads["named"] ?? [];
      for (const line of [`X-Api-Key: ${PLAIN_SECRET}`, `Authorization: Bearer ${PLAIN_SECRET}`]) {
        assert.ok(head.includes(`${line}\r\n`), line);
      }
      assert.match(head, /\r\nX-Tenant: blue$/m);
      assert.ok((heads["other"] ?? []).length > 0);
      assert.doesNotMatch((heads["other"] ?? []).join(), /sk-|X-Tenant/);
      for (const { headers } of server.requests) assert.equal(headers.get("x-tenant"), null);
      await assertHidden(PLAIN_SECRET, result, folder);
      if (command === "scrape" || body === undefined) return;
      const again = await runCli(["report", `${folder}/run`]);
      assert.equal(again.code, 0, again.stderr);
    });
  };
  for (const command of ["profile", "scrape"] as const) {
    await t.step(command, () => run(command, "200 OK", page));
    await t.step(`${command}, refused`, () => run(command, "401 Unauthorized"));
  }
});

Deno.test("profile shows no secret when it cannot do what it is told", async (t) => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "a server that is not there": ["--model", "m"],
    "a server that is not there, and is asked for its model": [],
    "a server that does not get ready": ["--model", "m", "--wait-for-model-timeout", "1ms"],
    "a plan that is only shown": ["--model", "m", "--dry-run"],
    "an option that is not known": ["--model", "m", "--no-such-option"],
    "a value that cannot be": ["--model", "m", "--concurrency", "0"],
  };
  const url = `http://${deadAddress()}`;
  for (const [name, args] of Object.entries(cases)) {
    await t.step(name, async () => {
      for (
        const way of [
          WAYS["--api-key="],
          WAYS["--header with JSON"],
          WAYS["an encoded password in the URL"],
          WAYS["a password in a URL without a scheme"],
          WAYS["an encoded key in the URL's query"],
        ] as Way[]
      ) {
        await withFolder(async (folder) => {
          const result = await runWith(way, url, folder, ...args);
          assert.ok(result.stdout + result.stderr !== "");
          await assertHidden(way.secret, result, folder);
        });
      }
    });
  }
});

Deno.test("profile does not repeat the secrets of what it cannot read", async (t) => {
  const wrong: readonly string[][] = [
    ["--url", `ftp://user:${PLAIN_SECRET}@host/`],
    ["--url", `http://user:${PLAIN_SECRET}@ho st:8000/`],
    ["--url", `http://user:${PLAIN_SECRET}@host:99999/`],
    ["--url", `http://user:${PLAIN_SECRET}@host:0/`],
    ["--url", `user:${PLAIN_SECRET}@host:port`],
    ["--url", `http://user:a/${PLAIN_SECRET}@host:8000`],
    ["--url", `http://no-such-host.invalid/?token=${PLAIN_SECRET}`],
    ["--url", `http://ho st/?token=${PLAIN_SECRET}`],
    ["--header", `Bearer ${PLAIN_SECRET}`],
    ["--header", `{"Authorization": "${PLAIN_SECRET}"`],
    ["--header", `Authorization: a\u0001${PLAIN_SECRET}`],
    ["--header", `Content-Length: ${PLAIN_SECRET}`],
    ["--api-key", `${PLAIN_SECRET}\n`],
    ["--extra-inputs", `api_key=${PLAIN_SECRET}`],
    ["--extra-inputs", `{"api_key": "${PLAIN_SECRET}"`],
    ["--extra-inputs", `{"api_key": ${PLAIN_SECRET}}`],
    ["--url", `http://user:a?${PLAIN_SECRET}@host:8000`],
  ];
  for (const args of wrong) {
    await t.step(
      args.join(" ").replaceAll(PLAIN_SECRET, "***"),
      () =>
        withFolder(async (folder) => {
          const result = await runCli([
            ...["profile", "--model", "m", "--artifact-dir", `${folder}/run`, ...args],
          ]);
          assert.equal(result.code, 2, result.stdout + result.stderr);
          assert.match(result.stderr, /^error: /);
          await assertHidden(PLAIN_SECRET, result, folder);
        }),
    );
  }
});

Deno.test("profile follows no redirect, so that nobody else gets a request", async (t) => {
  const flags: Readonly<Record<string, readonly string[]>> = {
    "over its own sockets": ["--model", "m"],
    "over fetch": ["--model", "m", "--transport", "fetch"],
    "when it asks for the model": [],
    "when it waits for the model": ["--model", "m", "--wait-for-model-timeout", "1s"],
  };
  for (const [name, args] of Object.entries(flags)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        using elsewhere = scriptedServer((request) =>
          request.reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        );
        using server = scriptedServer((request) =>
          request.reply(
            "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\n" +
              `Location: http://127.0.0.1:${elsewhere.port}/v1/chat/completions\r\n\r\n`,
          )
        );
        const { code, stderr, stdout } = await runCli([
          ...["profile", "--url", `127.0.0.1:${server.port}`, "--api-key", PLAIN_SECRET, ...args],
          ...["--request-count", "4", "--artifact-dir", folder, "--streaming"],
        ]);
        assert.equal(code, 1, stderr);
        assert.ok(server.connections > 0);
        assert.equal(elsewhere.connections, 0);
        assert.match(stdout + stderr, /307/);
      }));
  }
});
