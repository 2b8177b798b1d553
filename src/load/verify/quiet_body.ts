import type { BodyFields } from "../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { isFields } from "../../client/endpoint/protocol/json_fields.ts";

/** Longest answer of a prompt of the sample, in tokens. */
const MAX_TOKENS = 128;
/** Objects in which APIs keep the settings of sampling. */
const HOLDERS = ["options", "parameters", "sampling_params"];
/** Types whose APIs refuse a seed. */
const WITHOUT_SEED: readonly string[] = ["messages", "responses"];

/** A body that asks for the same answer each time: temperature 0, a fixed seed, at most 128 tokens. */
export function quietBody(type: EndpointType, fields: BodyFields, seed: number): BodyFields {
  const body = structuredClone(fields) as Record<string, unknown>;
  const holder = HOLDERS.map((name) => body[name]).find(isFields) ?? body;
  if (isFields(body["parameters"])) {
    // TGI refuses a temperature of 0.
    delete holder["temperature"];
    holder["do_sample"] = false;
  } else {
    holder["temperature"] = 0;
  }
  if (!WITHOUT_SEED.includes(type.name)) holder["seed"] = seed;
  const limits = type.outputLimits(body);
  const known = limits.filter(([, value]) => typeof value === "number");
  for (const [path, value] of known.length > 0 ? known : limits.slice(0, 1)) {
    const name = path.split(".").at(-1) as string;
    holder[name] = Math.min(typeof value === "number" ? value : MAX_TOKENS, MAX_TOKENS);
  }
  const least = holder["min_tokens"];
  if (typeof least === "number" && least > MAX_TOKENS) holder["min_tokens"] = MAX_TOKENS;
  return body;
}
