import type { EndpointSettings, EndpointType } from "../protocol/endpoint_type.ts";
import { foundChoices, foundLimits, foundTexts, PLAIN_WRITER } from "./found_bodies.ts";
import { foundReplies, REPLY_SETTINGS } from "./found_replies.ts";
import { bodiesOf, compiled, placesOf } from "./template_bodies.ts";
import { TEXT_API } from "../protocol/text_api.ts";

const TEMPLATE = "payload_template";

/** Templates that have names. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["nv-embedqa", '{"text": {{ texts|tojson }}}'],
]);

/** Template that is used unless a run specifies one. */
const PLAIN = '{"model": {{ model }}, "text": {{ text }}, "max_tokens": {{ max_tokens }}, ' +
  '"stream": {{ stream }}}';

/** Bodies made of a template of the user's own. */
export const template: EndpointType = {
  ...TEXT_API,
  name: "template",
  summary: "Bodies made of your template",
  exampleOptions: `--extra-inputs 'payload_template:{"prompt": {{ text }}}'`,
  path: "",
  usesChatTemplate: false,
  media: ["image", "audio"],
  setup: {
    names: [TEMPLATE, ...REPLY_SETTINGS],
    fileNames: [TEMPLATE],
    configured: configuredTemplate,
  },
  ...bodiesOf(compiled(PLAIN)),
  inputTexts: foundTexts,
  countImages: () => 0,
  outputLimits: foundLimits,
  askedChoices: foundChoices,
  replies: foundReplies({}),
  writer: PLAIN_WRITER,
};

/** @throws {RangeError} if there is no template, or what it gives is no JSON object */
function configuredTemplate(settings: EndpointSettings): EndpointType {
  const text = settings[TEMPLATE];
  if (text === undefined) {
    throw new RangeError(
      `${TEMPLATE} is missing: endpoint type template needs one, such as ` +
        `${TEMPLATE}:'{"text": {{ text }}}'`,
    );
  }
  try {
    const fill = compiled(NAMED.get(text.trim()) ?? text);
    return {
      ...template,
      ...bodiesOf(fill),
      ...placesOf(fill),
      replies: foundReplies(settings),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw /^\w+_field: /.test(error.message)
      ? error
      : new RangeError(`${TEMPLATE}: ${error.message}`);
  }
}
