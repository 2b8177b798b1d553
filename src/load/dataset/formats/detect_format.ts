import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { InputFormat } from "./input_format.ts";
import { INPUT_FORMATS } from "./input_formats.ts";
import { type InputSample, inputSample } from "./input_sample.ts";
import type { InputSource } from "./input_source.ts";
import { TEXT_FORMATS } from "./text_prompts.ts";

/** Format that was detected for a file. */
export interface DetectedFormat {
  readonly format: InputFormat;
  /** Evidence in the file for the format; undefined if the user named the format. */
  readonly why: string | undefined;
  /** Whether its first record has a time at which it can be sent. */
  readonly hasTimestamps: boolean;
}

/** Formats whose files may begin like JSON. */
const TEXTS = new Set(["csv", ...TEXT_FORMATS.map(({ name }) => name)]);

/** Words of what formats need that are no field or column there, but may be in a file. */
const PLAIN_WORDS = new Set(
  "JSON lines list with named folder file rows column columns such array object objects time layout"
    .split(" "),
);

/**
 * Detects the format of an input file by its first record. Nothing is guessed: a record that fits
 * no format, or more than one, is refused.
 * @param named the format that the user named, if any
 * @throws {DatasetError} if the format cannot be detected
 */
export async function detectFormat(
  source: InputSource,
  named: string | undefined,
): Promise<DetectedFormat> {
  const isText = TEXTS.has(named?.toLowerCase().replaceAll("_", "-") ?? "");
  const sample = await inputSample(source, isText);
  const hasTimestamps = ({ isTimed = false }: InputFormat) => isTimed && hasTimestamp(sample);
  const declared = named ?? declaredType(sample);
  if (declared !== undefined) {
    const format = INPUT_FORMATS.get(declared.toLowerCase().replaceAll("_", "-"));
    if (format === undefined) throw new RangeError(`There is no format ${declared}`);
    if (source.isFolder && format.takesFolders !== true) {
      throw new DatasetError(source.path, undefined, `Is a folder: ${format.name} is one file`);
    }
    const why = named === undefined ? `its first record has the type ${declared}` : undefined;
    return { format, why, hasTimestamps: hasTimestamps(format) };
  }
  const formats = [...INPUT_FORMATS.values()]
    .filter(({ takesFolders = false }) => takesFolders || !source.isFolder);
  const verdicts = formats.map((format) => ({
    format,
    verdict: format.recognise(sample),
  }));
  const found = verdicts.flatMap(({ format, verdict }) =>
    verdict.fits ? [{ format, why: verdict.why }] : []
  );
  const [first, second] = found;
  if (first !== undefined && second === undefined) {
    return { ...first, hasTimestamps: hasTimestamps(first.format) };
  }
  if (first === undefined) {
    const lacking = verdicts.flatMap(({ format: { name }, verdict }) =>
      verdict.fits ? [] : [{ name, missing: verdict.missing }]
    );
    throw new DatasetError(
      source.path,
      undefined,
      `No known format: ${shownSample(sample)}; ${needs(sample, lacking)}, or name the format ` +
        "with --custom-dataset-type",
    );
  }
  throw new DatasetError(
    source.path,
    undefined,
    `May be ${found.map(({ format, why }) => `${format.name} (${why})`).join(" or ")}: ` +
      "name the format with --custom-dataset-type",
  );
}

/**
 * Returns what a file needs for the formats that it comes near, those with a field or column that it
 * has; for prompts if there is no such format.
 */
function needs(
  { layout, record = {}, columns, fields }: InputSample,
  lacking: readonly { readonly name: string; readonly missing: string }[],
): string {
  const names = new Set([...Object.keys(record), ...columns, ...fields]);
  const near = lacking.filter(({ missing }) =>
    missing.match(/\w{4,}/g)?.some((word) => names.has(word) && !PLAIN_WORDS.has(word))
  );
  if (near.length > 0) {
    return near.map(({ name, missing }) => `${name} needs ${missing}`).join("; ");
  }
  return layout === "text"
    ? 'a table of prompts needs a column "prompt", and a text the ending .txt'
    : 'rows of prompts need a field "prompt", and conversations need "messages"';
}

/** Returns the type that rows of AIPerf's formats may declare. */
function declaredType({ record, layout }: InputSample): string | undefined {
  const type = record?.["type"];
  // Other traces have types of their own that name no format, such as the kind of a request.
  return layout === "json lines" && typeof type === "string" &&
      INPUT_FORMATS.has(type.toLowerCase().replaceAll("_", "-"))
    ? type
    : undefined;
}

function hasTimestamp({ record, columns }: InputSample): boolean {
  if (columns.some((name) => name.toLowerCase() === "timestamp")) return true;
  const turns = record?.["turns"];
  const first = Array.isArray(turns) ? turns[0] : record;
  return typeof first?.["timestamp"] === "number";
}

function shownSample({ layout, record, columns, fields }: InputSample): string {
  const shown = (names: readonly string[]): string =>
    names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 40))).join(", ") || "no fields";
  switch (layout) {
    case "folder":
      return record === undefined
        ? "the first file of the folder has no JSON lines"
        : `the first record of the folder's first file has ${shown(Object.keys(record))}`;
    case "text":
      return `its first line has the columns ${shown(columns)}`;
    case "json object":
      return `it is an object with ${shown(fields)}`;
    case "json lines":
    case "json array":
      return record === undefined
        ? "it is an array whose first element is no object"
        : `its first record has ${shown(Object.keys(record))}`;
  }
}
