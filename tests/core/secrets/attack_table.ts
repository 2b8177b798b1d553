/**
 * What secrets may look like and where they may be given: a row for each, with what no output may
 * show and what must stay readable.
 */

/** How options are given, and what may be seen of them. */
export interface Attack {
  readonly where: string;
  /** Arguments of `inferometer profile`. */
  readonly args: readonly string[];
  /** Texts that appear in no output, and in no disguise in what a server repeats of them. */
  readonly hidden: readonly string[];
  /** Texts that stand in the command line as files have it. */
  readonly shown: readonly string[];
}

/** A key with characters that URLs, JSON, HTML, shells and patterns write in their own ways. */
export const ODD_KEY = "Zq7&/+\"x'\\Vt.9*(w é";
/** A key as services give them out. */
export const KEY = "Zq7xVt9wHf3kTr5mLb2c";
/** A word that no name but the option's or the header's own gives away. */
const WORD = "correct-horse";

const header = (name: string, value: string): Attack => ({
  where: `header ${name}`,
  args: ["--header", `${name}: ${value}`],
  hidden: [value.replace(/^\w+ /, "")],
  shown: [`${name}: <redacted>`],
});
const plainHeader = (name: string, value: string): Attack => ({
  where: `header ${name} that is none`,
  args: ["--header", `${name}: ${value}`],
  hidden: [],
  shown: [`${name}: ${value}`],
});
const field = (name: string): Attack => ({
  where: `extra input ${name}`,
  args: ["--extra-inputs", `${name}:${WORD},max_tokens:100`],
  hidden: [WORD],
  shown: [`${name}:<redacted>,max_tokens:100`],
});
const plain = (where: string, ...args: string[]): Attack => ({
  where: `${where} that is no secret`,
  args,
  hidden: [],
  shown: args,
});

/** The table. */
export const ATTACKS: readonly Attack[] = [
  {
    where: "--api-key",
    args: ["--api-key", ODD_KEY],
    hidden: [ODD_KEY],
    shown: ["--api-key <redacted>"],
  },
  {
    where: "--tag that repeats the key",
    args: ["--api-key", KEY, "--tag", `note=${KEY}`],
    hidden: [KEY],
    shown: ["--tag note=<redacted>"],
  },
  {
    where: "--api-key=",
    args: [`--api-key=${KEY}`],
    hidden: [KEY],
    shown: ["--api-key=<redacted>"],
  },
  {
    where: "--api-key with digits alone",
    args: ["--api-key", "493817265"],
    hidden: ["493817265"],
    shown: ["--api-key <redacted>"],
  },
  {
    where: "--live-token",
    args: ["--live", "0", "--live-token", KEY],
    hidden: [KEY],
    shown: ["--live-token <redacted>"],
  },
  // By their names.
  header("Authorization", `Bearer ${KEY}`),
  header("Proxy-Authorization", `Token ${WORD}`),
  header("api-key", WORD),
  header("X-API-KEY", WORD),
  header("x-apikey", WORD),
  header("Ocp-Apim-Subscription-Key", WORD),
  header("X-Goog-Api-Key", WORD),
  header("X-Functions-Key", WORD),
  header("X-Account-Pass", WORD),
  header("X-DbPwd", WORD),
  header("X-Passphrase", WORD),
  header("X-Auth-User", WORD),
  header("X-Amz-Security-Token", WORD),
  header("PRIVATE-TOKEN", WORD),
  header("X-Vault-Token-Value", WORD),
  header("X-Client-Secret-2", WORD),
  header("X-Hub-Signature-256", WORD),
  header("X-Credentials", WORD),
  header("Cookie", `session=${WORD}`),
  header("X-CSRF", WORD),
  // By their values.
  header("X-Custom", KEY),
  header("X-Custom", "9f86d081884c7d659a2feaa0c55ad015"),
  header("X-Custom", "sk-proj-correcthorsebatterystaple"),
  header("X-Custom", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"),
  header("X-Custom", "q8Zt+Lw3/Vx9Rk2mPb7n=="),
  header("X-Custom", "JBSWY3DPEHPK3PXPJBSWY3DP"),
  header("X-Custom", "0b6f1d52-93cf-4f8e-9d0f-5a1c0d1a7b7e"),
  header("X-Custom", `Bearer ${WORD}`),
  header("X-Custom", `user ${KEY}`),
  {
    where: "a header with a key among other words",
    args: ["--header", `X-Custom: tenant=a; id=${KEY}; v=1`],
    hidden: [KEY],
    shown: ["X-Custom: <redacted>"],
  },
  {
    where: "header Authorization with user and password",
    args: ["--header", `Authorization: Basic ${btoa(`user:${WORD}`)}`],
    hidden: [btoa(`user:${WORD}`), `user:${WORD}`, WORD],
    shown: ["Authorization: <redacted>"],
  },
  {
    where: "headers in JSON",
    args: ["--header", JSON.stringify({ "X-Api-Key": WORD, "X-Tenant": "team-a" })],
    hidden: [WORD],
    shown: ['"X-Api-Key":"<redacted>"', '"X-Tenant":"team-a"'],
  },
  {
    where: "a cookie among others",
    args: ["--header", `Cookie: theme=dark; sid=${KEY}`],
    hidden: [KEY],
    shown: ["Cookie: <redacted>"],
  },
  plainHeader("X-Tenant", "team-a"),
  plainHeader("X-Model", "meta-llama/Llama-3.1-8B-Instruct"),
  plainHeader("X-Experiment", "prefill-decode-disagg_lr0.001_bs32_seed42"),
  plainHeader("X-Max-Tokens", "100"),
  plainHeader("X-Token-Count", "100"),
  plainHeader("X-Author", "somebody"),
  plainHeader("X-Started-At", "2026-05-13T10:11:12.123456Z"),
  plainHeader("X-Path", "/mnt/data/models/run-2026-05-13/out"),
  plainHeader("X-Request-ID", "0b6f1d52-93cf-4f8e-9d0f-5a1c0d1a7b7e"),
  plainHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
  plainHeader("User-Agent", "my-benchmark/1.2.3 (linux; x86_64)"),
  // URLs.
  {
    where: "a password in --url",
    args: ["--url", `http://user:${encodeURIComponent(ODD_KEY)}@127.0.0.1:8000/base`],
    hidden: [ODD_KEY],
    shown: ["http://<redacted>@127.0.0.1:8000/base"],
  },
  {
    where: "a key as the user of --url",
    args: [`--url=${KEY}@127.0.0.1:8000`],
    hidden: [KEY],
    shown: ["<redacted>@127.0.0.1:8000"],
  },
  ...["api_key", "subscription-key", "access_token", "sig", "X-Amz-Signature", "api%5Fkey", "key"]
    .map(
      (name): Attack => ({
        where: `parameter ${name} of --url`,
        args: ["--url", `http://127.0.0.1:8000/?model=llama&${name}=${WORD}&max_tokens=5`],
        hidden: [WORD],
        shown: [`?model=llama&${name}=<redacted>&max_tokens=5`],
      }),
    ),
  {
    where: "a parameter of --url with a key as its value",
    args: ["--url", `http://127.0.0.1:8000/?code=${KEY}&v=2026-05-13-preview`],
    hidden: [KEY],
    shown: ["?code=<redacted>&v=2026-05-13-preview"],
  },
  {
    where: "a parameter of --custom-endpoint",
    args: ["--custom-endpoint", `/openai/v1/chat?api-key=${WORD}`],
    hidden: [WORD],
    shown: ["/openai/v1/chat?api-key=<redacted>"],
  },
  {
    where: "--server-metrics",
    args: ["--server-metrics", `127.0.0.1:9/m?token=${WORD}`, `u:${KEY}@127.0.0.1:9/metrics`],
    hidden: [WORD, KEY],
    shown: ["127.0.0.1:9/m?token=<redacted>", "<redacted>@127.0.0.1:9/metrics"],
  },
  // Other systems.
  {
    where: "a password in --otlp",
    args: ["--otlp", `http://user:${KEY}@127.0.0.1:4318`],
    hidden: [KEY],
    shown: ["http://<redacted>@127.0.0.1:4318"],
  },
  {
    where: "--otlp-header",
    args: ["--otlp", "127.0.0.1:4318", "--otlp-header", `X-Api-Key: ${WORD}`],
    hidden: [WORD],
    shown: ["X-Api-Key: <redacted>"],
  },
  {
    where: "a password in --mlflow-tracking-uri",
    args: [`--mlflow-tracking-uri=http://user:${KEY}@127.0.0.1:5000`],
    hidden: [KEY],
    shown: ["http://<redacted>@127.0.0.1:5000"],
  },
  {
    where: "--mlflow-token",
    args: ["--mlflow-tracking-uri", "127.0.0.1:5000", "--mlflow-token", ODD_KEY.replace(" é", "")],
    hidden: [ODD_KEY.replace(" é", "")],
    shown: ["--mlflow-token <redacted>"],
  },
  {
    where: "--mlflow-tag",
    args: ["--mlflow-tracking-uri", "127.0.0.1:5000", "--mlflow-tag", `gpu:h100,password:${WORD}`],
    hidden: [WORD],
    shown: ["gpu:h100,password:<redacted>"],
  },
  // Extra inputs.
  ...["api_key", "apiKey", "hf_token", "aws_secret_access_key", "db_password", "key"].map(field),
  {
    where: "extra inputs in JSON, at any depth",
    args: [
      ...["--extra-inputs", JSON.stringify({ "a": [{ "token": WORD }], "top_k": 3 })],
      `nested:${JSON.stringify({ "password": { "value": KEY } })}`,
    ],
    hidden: [WORD, KEY],
    shown: ['"token":"<redacted>"', '"top_k":3', '"password":"<redacted>"'],
  },
  {
    where: "a template of bodies",
    args: [
      ...["--endpoint-type", "template", "--extra-inputs"],
      `payload_template:{"q": {{ text }}, "api_key": "${WORD}"}`,
    ],
    hidden: [WORD],
    shown: ["<redacted>"],
  },
  {
    where: "the key of Anthropic's API",
    args: ["--endpoint-type", "messages", "--api-key", WORD],
    hidden: [WORD],
    shown: ["<redacted>"],
  },
  {
    where: "an extra input that is a number",
    args: ["--extra-inputs", "api_key:493817265"],
    hidden: ["493817265"],
    shown: ["api_key:<redacted>"],
  },
  plain("goodput", "--streaming", "--goodput", "time_to_first_token:100"),
  {
    where: "goodput of several metrics that is no secret",
    args: ["--streaming", "--goodput", "time_to_first_token:100 inter_token_latency:5"],
    hidden: [],
    shown: ["--goodput 'time_to_first_token:100 inter_token_latency:5'"],
  },
  plain("extra input", "--extra-inputs", "max_tokens:100", "min_tokens:3", "ignore_eos:true"),
  plain(
    "extra input",
    "--extra-inputs",
    "eos_token_id:2,stop_token:x",
    "prompt_cache_key:benchmark",
  ),
  plain("extra input", "--extra-inputs", "skip_special_tokens:false", "token_count:5", "top_k:4"),
  plain("model", "--model", "org/secret-token-key-7b"),
  plain("folder", "--artifact-dir", "/tmp/api_key:abc/token"),
  plain("prefix", "--profile-export-prefix", "token.key"),
  plain("tokenizer", "--tokenizer", "builtin"),
];

function hexCode(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** A text in the ways in which servers repeat it, by what they are called. */
export function disguises(secret: string): Record<string, string> {
  const bytes = new TextEncoder().encode(secret);
  const base64 = (text: string): string =>
    btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const urlSafe = (text: string): string =>
    text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const swapped = [...secret].map((unit) =>
    unit === unit.toLowerCase() ? unit.toUpperCase() : unit.toLowerCase()
  );
  return {
    "as it is": secret,
    "as JSON": JSON.stringify(secret),
    "as JSON of ASCII with slashes escaped": JSON.stringify(secret).replaceAll("/", "\\/")
      .replaceAll("é", "\\u00e9"),
    "as JSON of Go": JSON.stringify(secret).replace(
      /[&<>]/g,
      (unit) => `\\u${hexCode(unit)}`,
    ),
    "as JSON of .NET": JSON.stringify(secret).slice(1, -1).replaceAll('\\"', '"')
      .replace(/[^ -~]|[&<>+"'`]/g, (unit) => `\\u${hexCode(unit).toUpperCase()}`),
    "as part of a URL": encodeURIComponent(secret),
    "as part of a form": new URLSearchParams({ "k": secret }).toString(),
    "in percent signs alone": hex.map((byte) => `%${byte}`).join(""),
    "as HTML": secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    "as HTML in numbers": secret.replace(/[&<>+"'/]/g, (unit) => `&#${unit.charCodeAt(0)};`),
    "as HTML in hexadecimal numbers": secret.replace(
      /[&<>+"'/]/g,
      (unit) => `&#x${unit.charCodeAt(0).toString(16).toUpperCase()};`,
    ),
    "as HTML in numbers of other writers": secret.replace(
      /[&<>+"'/]/g,
      (unit) => `&#X00${unit.charCodeAt(0).toString(16)};`,
    ),
    "in base64": base64(secret),
    "in base64 behind one byte": base64(`:${secret}`),
    "in base64 behind two bytes": base64(`u:${secret}`),
    "in base64 as user and password": base64(`user:${secret}`),
    "in base64 within more": base64(`{"key":"${secret}","more":true}`),
    "in base64 without padding": base64(`user:${secret}`).replaceAll("=", ""),
    "in URL-safe base64": urlSafe(base64(`user:${secret}`)),
    "in base64 as part of a URL": encodeURIComponent(base64(`us:${secret}`)),
    "in hexadecimal digits": hex.join(""),
    "in capital hexadecimal digits": hex.join("").toUpperCase(),
    "in hexadecimal digits apart": hex.join(" "),
    "in hexadecimal digits as in C": hex.map((byte) => `\\x${byte}`).join(""),
    "in a list of numbers": `[${hex.map((byte) => `0x${byte}`).join(", ")}]`,
    "spaced out": [...secret].join(" "),
    "with dashes": [...secret].join("-"),
    "in other letter case": swapped.join(""),
    "in capitals": secret.toUpperCase(),
    "backwards": [...secret].toReversed().join(""),
    "cut off": `${secret.slice(0, -1)}...`,
    "masked": `${secret.slice(0, 10)}****`,
  };
}
