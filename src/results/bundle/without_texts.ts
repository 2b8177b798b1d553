import type { RunFolder } from "../collect/run_folder.ts";
import type { RunManifest } from "../collect/run_manifest.ts";
import { ServerWords } from "./server_words.ts";

/** Value of `--system-prompt` in a command line. */
const PROMPT_VALUE = /(--system-prompt(?:=|\s+))('(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*"|\S+)/g;
/** Replacement of a prompt. */
export const PROMPT = "<prompt>";

/** A run without the texts of prompts, replies and servers. */
export interface RunWithoutTexts {
  /** The run as it is packed; the run itself if it has no such texts. */
  readonly folder: RunFolder;
  /** Texts that were taken out of its records; undefined for none. */
  readonly words: ServerWords | undefined;
}

/**
 * Takes the words of servers out of a run's records, and prompts out of its plan.
 * @throws {RunFolderError} if the records cannot be read
 */
export function withoutTexts(folder: RunFolder): RunWithoutTexts {
  const words = new ServerWords();
  for (const record of folder.records()) {
    const { error, finishReason, flaw } = words.withoutWords(record);
    if (flaw !== record.flaw) words.add("");
    const { invalid, prompt, wrong } = record.flawTexts ?? {};
    for (const text of [prompt, wrong?.expected, wrong?.reply, invalid]) {
      if (text !== undefined) words.add(text);
    }
    if (record.error !== undefined && error !== record.error) words.add(record.error);
    if (record.finishReason !== null && finishReason !== record.finishReason) {
      words.add(record.finishReason);
    }
  }
  const { examples = [], fingerprints = [] } = folder.manifest.summary?.drift ?? {};
  for (const { alone, underLoad } of examples) {
    words.add(alone);
    words.add(underLoad);
  }
  const { systemPrompt } = folder.manifest.facts.plan;
  // A fingerprint confirms a guess at a short answer.
  const hasTexts = words.count > 0 || systemPrompt !== undefined || fingerprints.length > 0;
  if (!hasTexts) return { folder, words: undefined };
  return {
    words,
    folder: {
      ...folder,
      manifest: manifestWithoutTexts(folder.manifest, words),
      *records() {
        for (const record of folder.records()) yield words.withoutWords(record);
      },
    },
  };
}

/** A command line without the text of `--system-prompt`. */
export function withoutPrompt(commandLine: string): string {
  return commandLine.replace(PROMPT_VALUE, `$1'${PROMPT}'`);
}

function manifestWithoutTexts(manifest: RunManifest, words: ServerWords): RunManifest {
  const { facts, summary } = manifest;
  const { plan } = facts;
  const { endReason, endedEarly } = summary ?? {};
  return {
    ...manifest,
    facts: {
      ...facts,
      plan: {
        ...plan,
        cliCommand: withoutPrompt(plan.cliCommand),
        ...(plan.systemPrompt === undefined ? {} : { systemPrompt: PROMPT }),
      },
    },
    summary: summary && {
      ...summary,
      // Answers repeat what prompts say.
      drift: summary.drift && { ...summary.drift, examples: [], fingerprints: [] },
      ...(endedEarly === undefined || !words.isIn(endedEarly) ? {} : {
        endedEarly: (endReason ?? "unknown").replaceAll("_", " "),
      }),
      notes: summary.notes.filter((note) => !words.isIn(note)),
    },
  };
}
