import { JSON_BODY } from "./body_format.ts";
import type { EndpointType } from "./endpoint_type.ts";

/** Parts that APIs with requests in JSON and replies of text have in common. */
export const TEXT_API = {
  method: "POST",
  producesTokens: true,
  tokenizesInput: true,
  body: JSON_BODY,
} as const satisfies Partial<EndpointType>;
