import * as z from "npm:zod@4.6.7";
import type { BodyFields } from "../endpoint/body_format.ts";
import { type EndpointType, outputLimitOf, type PromptContent } from "../endpoint/endpoint_type.ts";
import { deniesStreaming } from "../plan/extra_inputs.ts";
import type { DatasetPlan, RunPlan } from "../plan/run_plan.ts";
import { readFile, ReadFileError, utf8Text } from "../files/read_file.ts";
import { DatasetError } from "./dataset_error.ts";
import { ImageError, ImageSource } from "./image_source.ts";
import { LoadPause } from "./load_pause.ts";
import { NO_COUNT, type PayloadTable, PayloadTableBuilder } from "./payload_table.ts";
import { tokenLength } from "./token_lengths.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A text, or several under a name as AIPerf's files may have them. */
const textEntry = z.union([
  z.string(),
  z.object({ name: z.string().optional(), contents: z.array(z.string()) }),
]);

const singleTurnRow = z.looseObject({
  type: z.literal("single_turn").or(z.literal("single-turn")).optional(),
  text: z.string().optional(),
  texts: z.array(textEntry).optional(),
  image: z.string().optional(),
  images: z.array(textEntry).optional(),
  output_length: z.int().positive().optional(),
  session_id: z.string().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

const inputsFile = z.object({
  data: z.array(z.object({
    session_id: z.string().optional(),
    payloads: z.array(z.record(z.string(), z.unknown())).min(1),
  })).min(1),
});

/** A row's bodies before they are written out. */
interface Row {
  /** One for each model; one alone if it names its model itself. */
  readonly bodies: readonly [BodyFields, ...BodyFields[]];
  readonly outputTokens: number | undefined;
  readonly sessionId: string;
}

/**
 * Reads prompts from a file: JSON lines with `text`, `texts`, `image`, `images`, `output_length`,
 * or the `inputs.json` that a run of this product or of AIPerf wrote, whose bodies are sent as
 * they are.
 *
 * @param tokenizer counts the input tokens; undefined to leave them to the server
 * @param interrupt ends it
 * @throws {DatasetError} naming file and line of what is wrong
 */
export async function fileDataset(
  plan: Pick<RunPlan, "seed" | "models" | "body">,
  dataset: Extract<DatasetPlan, { source: "file" }>,
  type: EndpointType,
  tokenizer: Tokenizer | undefined,
  interrupt: AbortSignal = new AbortController().signal,
): Promise<PayloadTable> {
  const pause = new LoadPause(interrupt);
  const text = await readText(dataset.path, interrupt);
  const rows = looksLikeInputsFile(text)
    ? inputsRows(dataset.path, type, text)
    : await singleTurnRows(plan, dataset, type, text, pause, interrupt);
  if (rows.length === 0) throw new DatasetError(dataset.path, undefined, "File has no rows");
  const builder = new PayloadTableBuilder(Math.max(65_536, text.length));
  for (const { bodies, outputTokens, sessionId } of rows) {
    if (pause.isDue) await pause.take();
    const [body] = bodies;
    const counts = {
      inputTokens: tokenizer?.count(type.inputTexts(body).join(" ")) ?? NO_COUNT,
      outputTokens: outputTokens ?? NO_COUNT,
      images: type.countImages(body),
    };
    const [first = [], ...others] = bodies.map((body) => [
      builder.addSegment(type.body.encode(body)),
    ]);
    builder.addEntry(first, counts, sessionId, others);
  }
  return builder.finish(0);
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  try {
    return utf8Text(await readFile(path, { pipes: true, signal }));
  } catch (error) {
    if (error instanceof ReadFileError) throw new DatasetError(path, undefined, error.message);
    throw error;
  }
}

function looksLikeInputsFile(text: string): boolean {
  return /^\s*\{\s*"data"\s*:\s*\[/.test(text.slice(0, 1000));
}

function inputsRows(path: string, type: EndpointType, text: string): Row[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new DatasetError(path, undefined, `Not valid JSON: ${(error as Error).message}`);
  }
  const parsed = inputsFile.safeParse(json);
  if (!parsed.success) throw new DatasetError(path, undefined, firstIssue(parsed.error));
  return parsed.data.data.flatMap((session, index) =>
    session.payloads.map((body) => ({
      bodies: [body],
      outputTokens: outputLimitOf(type, body),
      sessionId: session.session_id ?? `session_${String(index).padStart(6, "0")}`,
    }))
  );
}

async function singleTurnRows(
  plan: Pick<RunPlan, "seed" | "models" | "body">,
  dataset: Extract<DatasetPlan, { source: "file" }>,
  type: EndpointType,
  text: string,
  pause: LoadPause,
  interrupt: AbortSignal,
): Promise<Row[]> {
  const rows: Row[] = [];
  const images = new ImageSource(dataset.path, dataset.allowedFolders, interrupt);
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (pause.isDue) await pause.take();
    if (line.trim() === "") continue;
    const fail = (message: string): never => {
      throw new DatasetError(dataset.path, index + 1, message);
    };
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      fail(`Not valid JSON: ${(error as Error).message}`);
    }
    const parsed = singleTurnRow.safeParse(json);
    if (!parsed.success) {
      fail(firstIssue(parsed.error));
      continue;
    }
    const row = parsed.data;
    const texts = [...(row.text === undefined ? [] : [row.text]), ...flat(row.texts)];
    const named = [...(row.image === undefined ? [] : [row.image]), ...flat(row.images)];
    if (texts.length + named.length === 0) fail("Row has none of text, texts, image, images");
    if (named.length > 0 && !type.supportsImages) {
      fail(`Endpoint type ${type.name} takes no images`);
    }
    if (plan.body.streaming && deniesStreaming(row.extra ?? {})) {
      fail("extra: stream must be true beside --streaming");
    }
    const content: PromptContent = {
      texts,
      images: await Promise.all(named.map((image) => images.urlOf(image))).catch((error) =>
        error instanceof ImageError ? fail(error.message) : Promise.reject(error)
      ),
      outputTokens: row.output_length ?? drawnLength(plan.seed, dataset, rows.length),
      extra: row.extra ?? {},
    };
    rows.push({
      bodies: plan.models.map((model) => type.buildBody(content, { ...plan.body, model })) as [
        BodyFields,
        ...BodyFields[],
      ],
      outputTokens: content.outputTokens,
      sessionId: row.session_id ?? `session_${String(rows.length).padStart(6, "0")}`,
    });
  }
  return rows;
}

function drawnLength(
  seed: number,
  dataset: Extract<DatasetPlan, { source: "file" }>,
  index: number,
): number | undefined {
  const { outputTokensMean: mean, outputTokensStddev: stddev } = dataset;
  return mean === undefined ? undefined : tokenLength(mean, stddev, seed, "dataset.osl", index);
}

function flat(entries: readonly z.infer<typeof textEntry>[] | undefined): string[] {
  return (entries ?? []).flatMap((entry) => typeof entry === "string" ? entry : entry.contents);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return error.message;
  const where = issue.path.join(".");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}
