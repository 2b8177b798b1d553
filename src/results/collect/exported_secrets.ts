import { pageRedactor, redactedJson, type Redactor } from "../../core/secrets/redactor.ts";
import { secretsOfFields } from "../../core/secrets/secret_fields.ts";
import { keysIn } from "../../core/secrets/secret_values.ts";
import { secretsOfUrl } from "../../core/secrets/url_secrets.ts";
import { type ExportedNames, type JsonObject, objectOf, readJson } from "./exported_files.ts";

/** An option of a command line whose value is a key. */
const KEY_OPTION = /--(?:api-key|header|headers|H)[ =]+(?:'([^']*)'|"([^"]*)"|(\S+))/g;

/**
 * Reads the summary of a run, without secrets; an empty one if there is none.
 * @throws {RunFolderError} if it cannot be read
 */
export async function readSummary(
  directory: string,
  { summary: name }: ExportedNames,
): Promise<{ readonly summary: JsonObject; readonly redact: Redactor }> {
  const written = name === undefined ? {} : await readJson(`${directory}/${name}`);
  const redact = exportedRedactor(written);
  return { summary: JSON.parse(redactedJson(JSON.stringify(written), redact)), redact };
}

/** Takes out what AIPerf's summary holds of secrets: keys and headers, and credentials in URLs. */
function exportedRedactor(summary: JsonObject): Redactor {
  const config = objectOf(summary["input_config"]) ?? {};
  const urls = objectOf(config["endpoint"])?.["urls"];
  const command = String(objectOf(summary["run_info"])?.["cli_command"] ?? "");
  const options = [...command.matchAll(KEY_OPTION)].map(([, ...values]) =>
    values.find((value) => value !== undefined) ?? ""
  );
  const texts = [...secretsOfFields(config), ...options];
  return pageRedactor([
    ...texts,
    // `Bearer KEY`, `name: KEY`
    ...texts.map((text) => text.split(/[\s:]+/).at(-1) ?? ""),
    ...keysIn(command).filter((word) => !word.includes("/")),
    ...(Array.isArray(urls) ? urls : []).flatMap((url) =>
      URL.canParse(String(url)) ? secretsOfUrl(new URL(String(url))) : []
    ),
  ]);
}
