/**
 * The data of GuideLLM: sizes of synthetic data, files, datasets; several go into each request.
 */

import type { OurLine } from "./our_line.ts";
import { type Fields, fieldsOf, text } from "./guidellm_fields.ts";
import { RESOLUTIONS, setPublicDataset } from "./translated_values.ts";

/** All of `--data`. */
export function setData(values: readonly string[], ours: OurLine): void {
  let hasPrompts = false;
  for (const whole of values) {
    const fields = fieldsOf(whole);
    const kind = text(fields["kind"]) ?? "";
    if (kind === "synthetic_image") setImages(fields, ours);
    else if (kind === "synthetic_video") ours.none("--data", "synthetic films are not made");
    else if (hasPrompts) ours.none("--data", `one source of prompts is read, not also ${whole}`);
    else {
      hasPrompts = true;
      if (fields["prompt_tokens"] !== undefined) setLengths(fields, ours);
      else if (/trace|mooncake/.test(kind)) setTrace(fields, ours);
      else setFile(fields, whole, ours);
    }
  }
}

function setImages(fields: Fields, ours: OurLine): void {
  const { kind: _kind, resolution, width, height, format, images_per_request: count, ...rest } =
    fields;
  const named = RESOLUTIONS[text(resolution)?.toLowerCase() ?? ""];
  const size = [width ?? named?.[0], height ?? named?.[1]].map(text);
  const [w, h] = size;
  if (w === undefined || h === undefined) {
    return ours.none("--data", `pictures of "${text(resolution) ?? "no size"}"`);
  }
  ours.set("image-width-mean", w, "--data");
  ours.set("image-height-mean", h, "--data");
  if (format !== undefined) {
    ours.set("image-format", String(format).toLowerCase().replace(/^jpg$/, "jpeg"), "--data");
  }
  if (count !== undefined) ours.set("image-batch-size", String(count), "--data");
  for (const [name, value] of Object.entries(rest)) {
    if (name === "output_tokens") setOutput(String(value), ours);
    else ours.none("--data", `nothing like its ${name}`);
  }
}

function setOutput(tokens: string, ours: OurLine): void {
  ours.set("osl", tokens, "--data");
  // It asks for exactly as many.
  ours.add("extra-inputs", "ignore_eos:true", "--data");
}

/** Columns that Mooncake's traces have. */
const COLUMNS: Readonly<Record<string, string>> = {
  "timestamp_column": "timestamp",
  "prompt_tokens_column": "input_length",
  "output_tokens_column": "output_length",
};

function setTrace(fields: Fields, ours: OurLine): void {
  const path = text(fields["path"] ?? fields["source"]);
  if (path === undefined) return ours.none("--data", "a trace without a path");
  ours.set("input-file", path, "--data");
  ours.set("custom-dataset-type", "mooncake-trace", "--data");
  for (const [name, value] of Object.entries(fields)) {
    if (["kind", "path", "source"].includes(name) || COLUMNS[name] === value) continue;
    ours.none(
      "--data",
      COLUMNS[name] === undefined
        ? `nothing like its ${name}`
        : `the field ${value} is called ${COLUMNS[name]} here: rename it in the file`,
    );
  }
}

function setFile(fields: Fields, whole: string, ours: OurLine): void {
  const named = text(fields["path"] ?? fields["source"] ?? fields["data"]) ?? whole;
  const path = named.replace(/^hf:/, "");
  if (/\.(jsonl?|csv|txt|parquet)$/.test(path)) {
    ours.set("input-file", path, "--data");
    ours.note("--data", `lines are {"prompt": ..., "output_tokens": ...} here`);
  } else if (setPublicDataset(ours, path, undefined, "--data")) {
    ours.note("--data", "the usual part and columns of the dataset are read");
  } else {
    ours.none("--data", `dataset ${path} is not supported here; set --input-file`);
  }
}

/** Sizes of synthetic prompts. */
function setLengths(fields: Fields, ours: OurLine): void {
  const { prompt_tokens: input, output_tokens: output, kind: _kind, ...rest } = fields;
  ours.set("isl", String(input), "--data");
  if (output !== undefined) setOutput(String(output), ours);
  for (const [name, value] of Object.entries(rest)) {
    if (name === "prompt_tokens_stdev") ours.set("isl-stddev", String(value), "--data");
    else if (name === "output_tokens_stdev") ours.set("osl-stddev", String(value), "--data");
    else if (name === "samples") ours.set("num-dataset-entries", String(value), "--data");
    else if (name === "prefix_tokens") {
      ours.set("prefix-prompt-length", String(value), "--data");
      if (rest["prefix_count"] === undefined) ours.set("num-prefix-prompts", 1);
    } else if (name === "prefix_count") ours.set("num-prefix-prompts", String(value), "--data");
    else if (name === "turns") ours.set("session-turns-mean", String(value), "--data");
    else ours.none("--data", `nothing like its ${name}`);
  }
}
