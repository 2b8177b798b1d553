import { basename, dirname, resolve } from "node:path";
import { refuseSpecialFile } from "../../../core/files/refuse_special_file.ts";
import { splitPairs } from "../../../core/secrets/redacted_option.ts";
import { secretsOfFields } from "../../../core/secrets/secret_fields.ts";
import { secretsOfHeaders } from "../../../core/secrets/secret_headers.ts";
import { authorizationOf, redactedUrl, secretsOfUrl } from "../../../core/secrets/url_secrets.ts";
import type { SystemSettings } from "../../options/profile/system_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { proxyNotices } from "./proxy_notice.ts";
import { MAX_HEADER_LENGTH, parseHeaders } from "./request_header.ts";
import { resolveOrigin } from "./resolve_origin.ts";
import type {
  MlflowPlan,
  OtlpPlan,
  SystemPlace,
  SystemsPlan,
  TextfilePlan,
} from "../systems_plan.ts";
import { originOf, parseServerUrl } from "./target_url.ts";
import { readSystemCerts } from "./trust.ts";

/** Port on which collectors take OTLP over HTTP. */
const OTLP_PORT = 4318;
/** `--mlflow-parent-run-id`, and whatever else is part of a path. */
const RUN_ID = /^[\w-]{1,64}$/;
const MAX_NAME_LENGTH = 250;

/** Settings of the systems: those that only count during a run may be missing. */
export type GivenSystemSettings =
  & Omit<SystemSettings, "otlpStream" | "otlpInterval">
  & Partial<Pick<SystemSettings, "otlpStream" | "otlpInterval">>;

/** The systems of a run, and what must not be shown of them. */
export interface ResolvedSystems {
  /** undefined if there are none. */
  readonly plan: SystemsPlan | undefined;
  readonly secrets: readonly string[];
  /** Notes for the user before anything is sent. */
  readonly notices: readonly string[];
}

/**
 * Reads where the results go besides the run's folder. Names of hosts are looked up.
 * @param caCerts of `--ca-cert`
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveSystems(
  settings: GivenSystemSettings,
  caCerts: readonly string[],
): Promise<ResolvedSystems> {
  const { textfile, otlp, mlflowTrackingUri } = settings;
  if (textfile === undefined && otlp === undefined && mlflowTrackingUri === undefined) {
    return { plan: undefined, secrets: [], notices: [] };
  }
  const secrets: string[] = [];
  const plan: SystemsPlan = {
    textfile: textfile === undefined ? undefined : await textfilePlan(textfile),
    otlp: otlp === undefined ? undefined : await otlpPlan(otlp, settings, secrets),
    mlflow: mlflowTrackingUri === undefined
      ? undefined
      : await mlflowPlan(mlflowTrackingUri, settings, secrets),
    timeoutMs: settings.exportTimeout * 1000,
    caCerts: [],
  };
  const places = [plan.otlp, plan.mlflow].flatMap((system) => system?.place ?? []);
  const isSecure = places.some(({ origin }) => origin.protocol === "https:");
  return {
    plan: { ...plan, caCerts: [...caCerts, ...isSecure ? await readSystemCerts() : []] },
    secrets,
    notices: [
      ...proxyNotices(places),
      ...textfile === undefined || textfile.endsWith(".prom")
        ? []
        : [`--textfile ${basename(textfile)}: node_exporter reads only files that end in .prom`],
    ],
  };
}

async function textfilePlan(text: string): Promise<TextfilePlan> {
  if (text === "" || /[\p{Cc}]/u.test(text)) {
    throw new UsageError("--textfile", "Must be the path of a file");
  }
  const path = resolve(text);
  const folder = dirname(path);
  if (await isFolder(path) === true) {
    throw new UsageError("--textfile", `${text} is a folder: name a file in it`);
  }
  if (await isFolder(folder) === false) {
    throw new UsageError("--textfile", `There is no folder ${folder}`);
  }
  try {
    refuseSpecialFile(path);
  } catch (error) {
    throw new UsageError("--textfile", `Cannot write ${text}: ${(error as Error).message}`);
  }
  // The same name in every process: the permissions of a confined command name it.
  return { path, temporaryPath: `${path}.inferometer.tmp` };
}

/** Whether a path is a folder; undefined if it may not be read. */
async function isFolder(path: string): Promise<boolean | undefined> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable ? undefined : false;
  }
}

async function otlpPlan(
  url: string,
  settings: GivenSystemSettings,
  secrets: string[],
): Promise<OtlpPlan> {
  const headers = parseHeaders(settings.otlpHeader ?? [], "--otlp-header");
  secrets.push(...secretsOfHeaders(headers));
  const place = await placeOf(withUsualPort(url.trim()), "--otlp", headers, secrets);
  const { otlpStream: stream = ["none"], otlpInterval } = settings;
  if (stream.length > 1 && stream.includes("none")) {
    throw new UsageError("--otlp-stream", "none cannot be together with something");
  }
  return {
    // Collectors are named by one of their paths as often as by what stands before them.
    place: { ...place, path: place.path.replace(/\/v1\/(traces|metrics|logs)$/, "") },
    traceRatio: settings.otlpTraces,
    intervalNs: otlpInterval === undefined || stream.includes("none")
      ? undefined
      : Math.round(otlpInterval * 1e9),
    resourceAttributes: (settings.otelResourceAttributes ?? []).flatMap(attributesOf),
    provider: nameOf(settings.genAiProvider ?? "openai", "--gen-ai-provider"),
  };
}

/** Adds the usual port of collectors to a host without a port. */
function withUsualPort(text: string): string {
  return /^[^/:?#@\s]+$/.test(text) ? `${text}:${OTLP_PORT}` : text;
}

async function mlflowPlan(
  url: string,
  settings: GivenSystemSettings,
  secrets: string[],
): Promise<MlflowPlan> {
  const { mlflowToken, mlflowRunName, mlflowParentRunId } = settings;
  if (!/^https?:\/\//i.test(url.trim()) && /^[a-z][a-z0-9+.-]*:(?!\d)|^[./]/i.test(url.trim())) {
    throw new UsageError(
      "--mlflow-tracking-uri",
      "Only servers are reached, by http or https: for a folder or a database, start one with " +
        "mlflow server --backend-store-uri",
    );
  }
  const headers: [string, string][] = [];
  if (mlflowToken !== undefined) {
    if (/\p{Cc}/u.test(mlflowToken) || mlflowToken.length > MAX_HEADER_LENGTH) {
      throw new UsageError(
        "--mlflow-token",
        `Must not have control characters, nor more than ${MAX_HEADER_LENGTH} characters at all`,
      );
    }
    headers.push(["Authorization", `Bearer ${mlflowToken}`]);
    secrets.push(...secretsOfHeaders(headers));
  }
  if (mlflowParentRunId !== undefined && !RUN_ID.test(mlflowParentRunId)) {
    throw new UsageError(
      "--mlflow-parent-run-id",
      "Must be the ID of a run, 32 hexadecimal digits",
    );
  }
  const tags = (settings.mlflowTag ?? []).flatMap(tagsOf);
  secrets.push(...secretsOfFields(Object.fromEntries(tags)));
  return {
    place: await placeOf(url, "--mlflow-tracking-uri", headers, secrets),
    experiment: nameOf(settings.mlflowExperiment, "--mlflow-experiment"),
    runName: mlflowRunName === undefined ? undefined : nameOf(mlflowRunName, "--mlflow-run-name"),
    tags,
    parentRunId: mlflowParentRunId,
    artifactGlobs: settings.mlflowArtifactGlob,
  };
}

async function placeOf(
  text: string,
  option: string,
  headers: readonly (readonly [string, string])[],
  secrets: string[],
): Promise<SystemPlace> {
  const url = parseServerUrl(text, option);
  url.hash = "";
  secrets.push(...secretsOfUrl(url));
  const authorization = authorizationOf(url);
  const hasOwn = headers.some(([name]) => name.toLowerCase() === "authorization");
  return {
    origin: await resolveOrigin(originOf(url), option),
    path: url.pathname.replace(/\/+$/, ""),
    query: url.search,
    redactedUrl: redactedUrl(url),
    headers: authorization === undefined || hasOwn
      ? headers
      : [...headers, ["Authorization", authorization]],
  };
}

/** `key=value,key=value`, as `OTEL_RESOURCE_ATTRIBUTES` has them. */
function attributesOf(text: string): [string, string][] {
  return text.split(/,(?=\s*[\w.-]+\s*=)/).filter((pair) => pair.trim() !== "").map((pair) => {
    const equals = pair.indexOf("=");
    const key = pair.slice(0, equals).trim();
    if (equals < 1 || !/^[\w.-]+$/.test(key)) {
      throw new UsageError(
        "--otel-resource-attributes",
        `Expected key=value: got "${pair.trim()}"`,
      );
    }
    return [key, printed(pair.slice(equals + 1).trim(), "--otel-resource-attributes")];
  });
}

/** `key:value,key:value`, or a JSON object. */
function tagsOf(text: string): [string, string][] {
  if (text.trimStart().startsWith("{")) {
    let object: object;
    try {
      object = JSON.parse(text);
    } catch {
      throw new UsageError("--mlflow-tag", "Not valid JSON");
    }
    return Object.entries(object).map(([key, value]) => [
      tagKey(key),
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
  }
  return splitPairs(text).map((pair) => {
    const colon = pair.indexOf(":");
    if (colon < 1) {
      throw new UsageError("--mlflow-tag", `Expected key:value: got ${pair.length} characters`);
    }
    return [tagKey(pair.slice(0, colon).trim()), pair.slice(colon + 1).trim()];
  });
}

/** Returns a text as a valid key of an MLflow tag. */
function tagKey(key: string): string {
  if (key.length <= MAX_NAME_LENGTH && /^[\w\-./ ]+$/.test(key)) return key;
  throw new UsageError(
    "--mlflow-tag",
    "The key of a tag must consist of letters, digits, _ - . / and spaces",
  );
}

function nameOf(text: string, option: string): string {
  const name = printed(text.trim(), option);
  if (name === "") throw new UsageError(option, "Must not be empty");
  if (name.length > MAX_NAME_LENGTH) {
    throw new UsageError(option, `Must have at most ${MAX_NAME_LENGTH} characters`);
  }
  return name;
}

function printed(text: string, option: string): string {
  if (/\p{Cc}/u.test(text)) throw new UsageError(option, "Must not have control characters");
  return text.toWellFormed();
}
