import { jsonText } from "../../core/files/json_text.ts";
import { redactedFields } from "../../core/secrets/secret_fields.ts";
import { redactedServerText } from "../../core/secrets/server_texts.ts";
import { linesOf } from "../collect/exported_files.ts";
import { writeReplaced } from "./anonymous_run.ts";
import type { BundleNames } from "./bundle_names.ts";
import type { HostNames } from "./host_names.ts";
import { namelessFlaw } from "./nameless_flaw.ts";
import { replacedTexts } from "./replaced_texts.ts";
import { errorWords, type ServerWords } from "./server_words.ts";
import { PROMPT, withoutPrompt } from "./without_texts.ts";

/** Copies a run that only has its exported files: it may be AIPerf's, and hold secrets. */
export async function copyExportedRun(
  directory: string,
  scratch: string,
  names: BundleNames,
  { anonymizeHosts, hosts, words }: {
    readonly anonymizeHosts: boolean;
    readonly hosts: HostNames;
    readonly words: ServerWords | undefined;
  },
): Promise<BundleNames> {
  if (words !== undefined) await collectWords(directory, names.packed, words);
  const isText = (name: string): boolean => !/\.(parquet|png)$/.test(name);
  if (anonymizeHosts) {
    for (const name of names.packed.filter((name) => name.endsWith(".json"))) {
      hosts.addFrom(await Deno.readTextFile(`${directory}/${name}`));
    }
  }
  // Pages, tables and the terminal's text repeat the words of a server in forms of their own.
  const isQuoting = (name: string): boolean =>
    words !== undefined && words.count > 0 && /\.(html|txt|md|xml|csv)$/.test(name);
  const packed = names.packed.filter((name) =>
    (isText(name) || !anonymizeHosts) && !isQuoting(name)
  );
  for (const name of packed) {
    const [from, to] = [`${directory}/${name}`, `${scratch}/${name}`];
    if (name.includes("/")) await Deno.mkdir(to.replace(/\/[^/]*$/, ""), { recursive: true });
    if (name.endsWith(".json")) {
      const text = await Deno.readTextFile(from);
      await Deno.writeTextFile(
        to,
        hosts.replacedInJson(withoutWords(withoutSecrets(text, words !== undefined), words)),
      );
    } else if (isText(name)) {
      const isJson = name.endsWith(".jsonl");
      await writeReplaced(
        from,
        to,
        (text) =>
          isJson
            ? hosts.replacedInJson(words?.withoutWordsInLines(text) ?? text)
            : hosts.replacedIn(text),
      );
    } else await Deno.copyFile(from, to);
  }
  return {
    packed,
    leftOut: [
      ...names.leftOut,
      ...names.packed.filter((name) => !packed.includes(name))
        .map((name) =>
          [
            name,
            isQuoting(name)
              ? "words of servers, which may quote prompts"
              : "its hosts cannot be replaced",
          ] as const
        ),
    ],
  };
}

/** Counts that decide whether a page quotes answers; null for what was not checked. */
interface ShownAnswers {
  readonly drift?: { readonly "under_load": number } | null;
  readonly wrong?: { readonly count: number } | null;
  readonly invalid?: { readonly count: number } | null;
}

/** Notes what the lines of requests, and the summary, have of servers' words. */
async function collectWords(
  directory: string,
  names: readonly string[],
  words: ServerWords,
): Promise<void> {
  const add = (error: unknown): void => {
    const { code, kind, message, type } = (error ?? {}) as Record<string, unknown>;
    if (typeof message !== "string") return;
    if (errorWords(message, kind ?? type, code) !== message) words.add(message);
  };
  // Pages and tables quote the first flaws.
  const noteFlaw = (text: string, key: string): string => {
    if (key === '"flaw"' && namelessFlaw(text) !== text) words.add("");
    return text;
  };
  for (const name of names.filter((name) => name.endsWith(".jsonl"))) {
    for await (const line of linesOf(`${directory}/${name}`)) {
      if (line.includes('"error"')) add(objectIn(line)["error"]);
      if (line.includes('"flaw"')) replacedTexts(line, noteFlaw);
    }
  }
  for (const name of names.filter((name) => name.endsWith(".json"))) {
    const json = await Deno.readTextFile(`${directory}/${name}`);
    if (json.includes('"flaw"')) replacedTexts(json, noteFlaw);
    const { answers, error_summary: groups } = objectIn(json);
    const { drift, invalid, wrong } = (answers ?? {}) as ShownAnswers;
    // The page quotes the first answers that differ, are wrong, or are invalid.
    const quoted = [drift?.["under_load"], wrong?.count, invalid?.count];
    if (quoted.some((count = 0) => count > 0)) words.add("");
    for (const group of Array.isArray(groups) ? groups : []) add(group?.["error_details"]);
  }
}

function objectIn(json: string): Record<string, unknown> {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** JSON in which every text that repeats a server's words is replaced by kind or status. */
function withoutWords(text: string, words: ServerWords | undefined): string {
  if (words === undefined || words.count === 0) return text;
  return replacedTexts(
    text,
    (value, key) =>
      key === '"flaw"' ? namelessFlaw(value) : words.isIn(value) ? "words of the server" : value,
  );
}

/** A summary without keys and passwords in the settings and in the command line. */
function withoutSecrets(text: string, isPromptLeftOut: boolean): string {
  let summary: Record<string, unknown>;
  try {
    summary = JSON.parse(text);
  } catch {
    return text;
  }
  const { input_config: config, run_info: info } = summary ?? {};
  if (typeof config !== "object" || config === null) return text;
  const command = (info as Record<string, unknown> | undefined)?.["cli_command"];
  const redacted = {
    ...summary,
    "input_config": redactedFields(config as Record<string, unknown>),
    ...(isPromptLeftOut ? ownConfigWithoutPrompt(summary) : {}),
    ...(typeof command !== "string" ? {} : {
      "run_info": {
        ...info as Record<string, unknown>,
        "cli_command": redactedServerText(
          "command",
          isPromptLeftOut ? withoutPrompt(command) : command,
          (text) => text,
        ),
      },
    }),
  };
  // A file that has none stays as it is, digit for digit.
  return JSON.stringify(redacted) === JSON.stringify(summary) ? text : `${jsonText(redacted)}\n`;
}

/** The settings that only this program has, without the text of a prompt. */
function ownConfigWithoutPrompt(
  { inferometer: own }: Record<string, unknown>,
): Record<string, unknown> {
  return typeof own === "object" && own !== null && "system_prompt" in own
    ? { "inferometer": { ...own, "system_prompt": PROMPT } }
    : {};
}
