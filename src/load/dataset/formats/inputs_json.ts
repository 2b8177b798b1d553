import * as z from "npm:zod@4.6.7";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { jsonElements } from "./json_elements.ts";

const session = z.looseObject({
  session_id: z.string().optional(),
  payloads: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** The `inputs.json` that a run of this product or of AIPerf wrote; its bodies are resent. */
export const inputsJson: InputFormat = {
  name: "inputs-json",
  description: "the inputs.json of a run",
  paging: "always",

  recognise({ layout, fields }) {
    return layout === "json object" && fields.includes("data")
      ? fits('it is an object with "data"')
      : lacks('an object with a list "data"');
  },

  async *read(source) {
    for await (const records of jsonElements(source, "data")) {
      for (const record of records) {
        const { session_id: id, payloads } = record.parsed(session);
        yield {
          id,
          turns: payloads.map((body) => ({
            request: { kind: "body" as const, body },
            delayMs: 0,
            timestampMs: undefined,
            followsHistory: false,
          })),
        };
      }
    }
  },
};
