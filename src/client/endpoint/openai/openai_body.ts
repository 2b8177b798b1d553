/** Fields that the bodies of OpenAI's chat completions and completions have in common. */

import type { BodyFields } from "../protocol/body_format.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import type { BodySettings, PromptContent } from "../protocol/prompt_content.ts";

/** The names under which bodies limit their output; servers take the newer one first. */
const OUTPUT_LIMITS = ["max_completion_tokens", "max_tokens"];

/** See {@linkcode EndpointType.outputLimits}. */
export const openAiOutputLimits: EndpointType["outputLimits"] = (fields) =>
  OUTPUT_LIMITS.map((name) => [name, fields[name]] as const);

/** Adds what comes last in a body: extra inputs, and `stream_options` unless they set it. */
export function finishBody(
  body: BodyFields,
  content: Pick<PromptContent, "extra">,
  settings: BodySettings,
): BodyFields {
  Object.assign(body, settings.extraInputs, content.extra);
  if (settings.streaming && body["stream"] === true) {
    const given = body["stream_options"];
    if (given === null) return body;
    const options = typeof given === "object" ? given : {};
    body["stream_options"] = {
      "include_usage": true,
      ...(settings.perChunkUsage ? { "continuous_usage_stats": true } : {}),
      ...options,
    };
  }
  return body;
}
