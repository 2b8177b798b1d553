import type { BodyFields } from "../protocol/body_format.ts";
import { errorOf, isFields, stringOf } from "../protocol/delta.ts";
import type { EndpointSettings, EndpointType } from "../protocol/endpoint_type.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import type { ReplyWriter } from "../protocol/reply_writer.ts";
import { textOf } from "../protocol/scripted_text.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** The tensors of a model and their default names. */
const NAMES = { input: "text_input", limit: "max_tokens", output: "text_output" };
/** The extra inputs that say it. */
const SETTINGS = {
  input: "input_name",
  limit: "max_tokens_name",
  output: "output_name",
  shape: "tensor_shape",
};
/** Models that take batches want one more dimension than those that do not. */
const SHAPE = [1, 1];
/** Fields of a body other than its tensors. */
const BODY_FIELDS = new Set(["id", "parameters", "outputs"]);

/** Names of the model's tensors in a run. */
interface Tensors {
  readonly input: string;
  readonly limit: string;
  readonly output: string;
  readonly shape: readonly number[];
}

/** The inference request of KServe's protocol v2, of a model with a text in and a text out. */
export const kserveInfer: EndpointType = {
  ...TEXT_API,
  name: "kserve-infer",
  aliases: ["kserve-v2-infer", "triton-infer"],
  summary: "KServe v2 and Triton, inference of tensors",
  path: "/v2/models/{model_name}/infer",
  usesChatTemplate: false,
  media: [],
  setup: { names: Object.values(SETTINGS), fileNames: [], configured },
  ...ofTensors({ ...NAMES, shape: SHAPE }),
  countImages: () => 0,
};

/** @throws {RangeError} if the shape is not valid */
function configured(settings: EndpointSettings): EndpointType {
  const shape = settings[SETTINGS.shape]?.replace(/[[\]]/g, "").split(/[,x]/).map(Number) ?? SHAPE;
  if (shape.some((size) => size !== 1) || shape.length > 4) {
    throw new RangeError(
      `${SETTINGS.shape} must be [1] or [1,1]: got ${settings[SETTINGS.shape]}`,
    );
  }
  return {
    ...kserveInfer,
    ...ofTensors({
      input: settings[SETTINGS.input] ?? NAMES.input,
      limit: settings[SETTINGS.limit] ?? NAMES.limit,
      output: settings[SETTINGS.output] ?? NAMES.output,
      shape,
    }),
  };
}

function ofTensors(
  { input, limit, output, shape }: Tensors,
): Pick<EndpointType, "buildBody" | "inputTexts" | "outputLimits" | "replies" | "writer"> {
  return {
    buildBody(content, settings) {
      const values: [string, unknown][] = [[input, content.texts.join(" ")]];
      if (content.outputTokens !== undefined) values.push([limit, content.outputTokens]);
      const body: BodyFields = {};
      for (const [name, value] of Object.entries({ ...settings.extraInputs, ...content.extra })) {
        if (BODY_FIELDS.has(name)) body[name] = value;
        else values.push([name, value]);
      }
      const tensors = new Map(values.map(([name, value]) => [name, tensor(name, value, shape)]));
      return { "inputs": [...tensors.values()], ...body };
    },
    inputTexts: (fields) => {
      const text = tensorValue(fields["inputs"], input);
      return typeof text === "string" ? [text] : [];
    },
    outputLimits: (fields) => [[limit, tensorValue(fields["inputs"], limit) ?? undefined]],
    replies: inferReplies(output),
    writer: inferWriter(output),
  };
}

function tensor(name: string, value: unknown, shape: readonly number[]): BodyFields {
  const datatype = typeof value === "boolean"
    ? "BOOL"
    : typeof value !== "number"
    ? "BYTES"
    : Number.isInteger(value)
    ? "INT32"
    : "FP32";
  const isPlain = datatype !== "BYTES" || typeof value === "string";
  const data = [isPlain ? value : JSON.stringify(value)];
  return { "name": name, "shape": shape, "datatype": datatype, "data": data };
}

/** The first value of a tensor; nested lists are the same as flat ones. */
function tensorValue(tensors: unknown, name: string): unknown {
  if (!Array.isArray(tensors)) return undefined;
  const found = tensors.filter(isFields).find((one) => one["name"] === name);
  return Array.isArray(found?.["data"]) ? found["data"].flat(4)[0] : undefined;
}

/** A body with tensors. The text is in the named tensor, or else in the first tensor of texts. */
function inferReplies(output: string): ReplyProtocol {
  return {
    eventMeanings: new Map(),
    readDelta(json, delta) {
      delta.error = errorOf(json);
      const { outputs } = json;
      if (!Array.isArray(outputs)) return;
      const tensors = outputs.filter(isFields);
      const named = tensors.find(({ name }) => name === output) ??
        tensors.find(({ datatype }) => datatype === "BYTES");
      const data = named?.["data"];
      if (Array.isArray(data)) delta.text = data.flat(4).map(stringOf).join("");
    },
    judge: (ending) => judgeEnding(ending, ending.isWhole && ending.isComplete, "its end"),
  };
}

function inferWriter(output: string): ReplyWriter {
  return {
    writesReasoning: false,
    asked: () => ({
      model: undefined,
      streaming: false,
      includeUsage: false,
      usageInChunks: false,
    }),
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "id": reply.id,
        "model_name": reply.model,
        "model_version": "1",
        "outputs": [tensor(output, textOf(reply.pieces), SHAPE)],
      }),
    }),
  };
}
