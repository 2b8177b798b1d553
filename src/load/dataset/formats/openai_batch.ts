import * as z from "npm:zod@4.6.7";
import { deniesStreaming } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { withoutFields } from "../../../client/endpoint/protocol/omitting_type.ts";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";

const batchRow = z.looseObject({
  custom_id: z.string(),
  method: z.literal("POST").optional(),
  url: z.string(),
  body: z.record(z.string(), z.unknown()),
  expected: z.unknown().optional(),
});

/**
 * Requests of OpenAI's batch API. Their bodies are sent unchanged except for `stream`, which
 * batches do not have and `--streaming` adds.
 */
export const openAiBatch: InputFormat = {
  name: "openai-batch",
  description: "requests of OpenAI's batch API",
  paging: "always",

  recognise({ layout, record = {} }) {
    return layout === "json lines" && "custom_id" in record && "body" in record
      ? fits('its first record has "custom_id" and "body"')
      : lacks("JSON lines with custom_id, url and body");
  },

  async *read(source, context) {
    const { type, streaming } = context;
    const usage = withoutFields({ "stream_options": USAGE }, type.omittedInputs ?? []);
    const stream = (body: Record<string, unknown>): Record<string, unknown> => ({
      "stream": true,
      ...(body["stream_options"] === undefined ? usage : {}),
    });
    for await (const records of inputLines(source)) {
      for (const record of records) {
        const { custom_id: id, url, body, expected: given } = record.parsed(batchRow);
        if (!url.endsWith(type.path)) {
          throw record.error(
            `The endpoint of --endpoint-type ${type.name} is ${type.path}: choose the type of ` +
              "this request",
            ["url"],
          );
        }
        if (streaming && deniesStreaming(body)) {
          throw record.error("Must be true with --streaming", ["body", "stream"]);
        }
        const expected = given === undefined ? undefined : context.expectedOf(record, []);
        yield {
          id,
          turns: [{
            request: { kind: "body", body: streaming ? { ...body, ...stream(body) } : body },
            delayMs: 0,
            timestampMs: undefined,
            followsHistory: false,
            ...(expected === undefined ? {} : { expected }),
          }],
        };
      }
    }
  },
};

const USAGE = { "include_usage": true };
