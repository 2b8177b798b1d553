import { JSON_BODY } from "./body_format.ts";
import type { EndpointType } from "./endpoint_type.ts";

/** What APIs have in common that are asked with JSON and answer with text. */
export const TEXT_API = {
  method: "POST",
  producesTokens: true,
  tokenizesInput: true,
  body: JSON_BODY,
} as const satisfies Partial<EndpointType>;
