import type { BodyFields } from "./body_format.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { isFields } from "./json_fields.ts";

/**
 * Returns an endpoint type whose bodies do not have some fields, for servers that reject them.
 * @param names of fields; a dot leads into an object: `stream_options.include_usage`
 */
export function omittingType(type: EndpointType, names: readonly string[]): EndpointType {
  if (names.length === 0) return type;
  const { asksForUsage, conversation, ...others } = type;
  const keepsUsage = asksForUsage && !names.includes("stream_options");
  return {
    ...others,
    ...(keepsUsage ? { asksForUsage } : {}),
    ...(conversation === undefined ? {} : {
      conversation: {
        ...conversation,
        buildBody: (...given) => withoutFields(conversation.buildBody(...given), names),
      },
    }),
    omittedInputs: names,
    buildBody: (...given) => withoutFields(type.buildBody(...given), names),
  };
}

/** A body without fields; the given one keeps them. */
export function withoutFields(body: Readonly<BodyFields>, names: readonly string[]): BodyFields {
  return names.reduce<BodyFields>((fields, name) => withoutField(fields, name), { ...body });
}

function withoutField(body: Readonly<BodyFields>, name: string): BodyFields {
  const { [name]: omitted, ...others } = body;
  if (omitted !== undefined) return others;
  const dot = name.indexOf(".");
  const outer = name.slice(0, dot);
  const inner = body[outer];
  if (dot < 1 || !isFields(inner)) return others;
  return { ...body, [outer]: withoutField(inner, name.slice(dot + 1)) };
}
