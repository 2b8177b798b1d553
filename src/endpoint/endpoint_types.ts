import { chat } from "./chat.ts";
import { completions } from "./completions.ts";
import type { EndpointType } from "./endpoint_type.ts";

/** The kinds of API that can be measured, by their names on the command line. */
export const ENDPOINT_TYPES: ReadonlyMap<string, EndpointType> = new Map(
  [chat, completions].map((type) => [type.name, type]),
);

/**
 * The endpoint type of that name.
 * @throws {RangeError} if there is none
 */
export function endpointType(name: string): EndpointType {
  const type = ENDPOINT_TYPES.get(name.replaceAll("_", "-"));
  if (type === undefined) {
    const known = [...ENDPOINT_TYPES.keys()].join(", ");
    throw new RangeError(`Endpoint type must be one of ${known}: got "${name}"`);
  }
  return type;
}
