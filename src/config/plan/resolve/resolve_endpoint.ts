/** Which API a run measures: its type, what the run sets of it, and the model in its path. */

import type {
  EndpointSettings,
  EndpointType,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import { configuredType, endpointType } from "../../../client/endpoint/endpoint_types.ts";
import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { secretsOfFields } from "../../../core/secrets/secret_fields.ts";
import { parseExtraInputs } from "./extra_inputs.ts";
import type { Target } from "../run_plan.ts";

const MAX_SETTING_BYTES = 1024 * 1024;
const MODEL_IN_PATH = /\{model_name\}|%7Bmodel_name%7D/gi;

/** An endpoint type as a run uses it. */
export interface ResolvedEndpoint {
  readonly type: EndpointType;
  /** Settings of the endpoint type in the run; undefined for none. */
  readonly endpointSettings: EndpointSettings | undefined;
  /** The extra inputs that are fields of bodies. */
  readonly extraInputs: Readonly<Record<string, unknown>>;
  /** Fields that bodies must not have. */
  readonly omittedInputs: readonly string[];
  readonly secrets: readonly string[];
}

/**
 * Takes the extra inputs that set the endpoint type out of the others, and reads their files.
 * @throws {UsageError} if one of them cannot be used
 */
export async function resolveEndpoint(settings: ProfileSettings): Promise<ResolvedEndpoint> {
  const { setup, name } = endpointType(settings.endpointType);
  const parsed = parseExtraInputs(settings.extraInputs ?? []);
  const extraInputs = { ...parsed.fields };
  const omittedInputs = [...new Set([...omittedNames(settings), ...parsed.omitted])]
    .filter((key) => !setup?.names.includes(key));
  const values: Record<string, string> = {};
  for (const key of setup?.names ?? []) {
    const value = extraInputs[key];
    if (value === undefined || value === null) continue;
    delete extraInputs[key];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    values[key] = setup?.fileNames.includes(key) ? await textOfFile(key, text) : text;
  }
  if (settings.downloadVideoContent && setup?.names.includes("download_video_content")) {
    values["download_video_content"] = "true";
  }
  setContentType(settings, values);
  const endpointSettings = Object.keys(values).length === 0 ? undefined : values;
  try {
    const type = configuredType({
      endpointType: name,
      ...(endpointSettings === undefined ? {} : { endpointSettings }),
      omittedInputs,
    });
    const secrets = secretsOfBody(type);
    return { type, endpointSettings, extraInputs, omittedInputs, secrets };
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError("--extra-inputs", error.message);
    throw error;
  }
}

/** The names of `--omit-inputs`, which may be separated by commas. */
function omittedNames({ omitInputs = [] }: ProfileSettings): string[] {
  const names = omitInputs.flatMap((entry) => entry.split(",")).map((name) => name.trim());
  const wrong = names.find((name) => name === "" || /[:{}"\s]/.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    "--omit-inputs",
    `Expected names of body fields such as stream_options: got "${wrong}"`,
  );
}

/**
 * Sets the format of bodies, if it differs from the default of the endpoint type.
 * @throws {UsageError} if the type supports only one format
 */
function setContentType(
  { endpointType: name, requestContentType: given }: ProfileSettings,
  values: Record<string, string>,
): void {
  const { body, setup } = endpointType(name);
  const own = body.isJson ? "application-json" : "multipart-form-data";
  if (given === undefined || given === own) return;
  if (!setup?.names.includes("request_content_type")) {
    const sent = body.isJson ? "JSON" : "forms with files";
    throw new UsageError(
      "--request-content-type",
      `Endpoint type ${name} sends only ${sent}: got ${given}`,
    );
  }
  values["request_content_type"] = given;
}

/** The text of the file that a value names; the value itself if there is no such file. */
async function textOfFile(key: string, value: string): Promise<string> {
  const path = value.trim();
  if (/[{\n]/.test(path) || path === "") return value;
  try {
    return utf8Text(await readFile(path, { maxBytes: MAX_SETTING_BYTES }));
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    const namesFile = /[/\\]|\.\w+$/.test(path);
    if (namesFile) throw new UsageError("--extra-inputs", `${key}: ${path}: ${error.message}`);
    return value;
  }
}

/** Secrets that a type writes into every body, as a template may have them. */
function secretsOfBody({ setup, buildBody }: EndpointType): string[] {
  if (setup === undefined) return [];
  const content = { texts: [""], images: [], outputTokens: undefined, extra: {} };
  return secretsOfFields(buildBody(content, {
    model: "",
    streaming: true,
    legacyMaxTokens: false,
    extraInputs: {},
    perChunkUsage: false,
  }));
}

/** Whether a path has the name of the model in it. */
function needsModel(targets: readonly Target[]): boolean {
  return targets.some(({ path }) => path.search(MODEL_IN_PATH) >= 0);
}

/**
 * The targets with the model in their paths, where these have a place for it.
 * @throws {UsageError} if there is none, or several
 */
export function targetsOfModel(
  targets: readonly Target[],
  models: readonly string[],
): readonly Target[] {
  if (!needsModel(targets)) return targets;
  const [model] = models;
  if (model === undefined || models.length > 1) {
    throw new UsageError("--model", "Exactly one is needed here: it is a part of the path");
  }
  return targets.map((target) => ({
    ...target,
    path: target.path.replace(MODEL_IN_PATH, () => encodeURIComponent(model)),
  }));
}

/** A sentence for each option that means nothing to this type. */
export function endpointNotices(type: EndpointType, settings: ProfileSettings): string[] {
  const { streaming, osl, useLegacyMaxTokens, perChunkUsage } = settings;
  const isWithout = (flag: string, what: string): string =>
    `${flag} has no effect: endpoint type ${type.name} ${what}`;
  const notices: string[] = [];
  if (streaming && type.writer.stream === undefined) {
    notices.push(isWithout("--streaming", "has no streams"));
  }
  if (osl !== undefined && !type.producesTokens) {
    notices.push(isWithout("--osl", "makes no tokens"));
  }
  if (useLegacyMaxTokens && type.name !== "chat") {
    notices.push(isWithout("--use-legacy-max-tokens", "has one name for its limit"));
  }
  if (perChunkUsage && !type.asksForUsage) {
    notices.push(isWithout("--per-chunk-usage", "does not ask for token counts"));
  }
  return notices;
}
