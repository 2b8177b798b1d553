import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";
import { type PayloadData, PayloadTable } from "../dataset/payloads/payload_table.ts";
import { fnv1a } from "../../core/statistics/fnv1a.ts";
import { quietBody } from "./quiet_body.ts";

/** Sessions from here on are of no request of the load, so that their salts are new to caches. */
const FIRST_SESSION = 2 ** 28;

/** A prompt of the sample. */
export interface SampledPrompt {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Equal for prompts that ask the same of any model. */
  readonly fingerprint: number;
}

const encoder = new TextEncoder();

/**
 * A sample of a run's prompts, evenly spaced over its first turns. Synthetic prompts get
 * salts of their own: the load finds none of them in a prefix cache.
 */
export function samplePrompts(
  type: EndpointType,
  data: PayloadData,
  sample: number,
  seed: number,
): SampledPrompt[] {
  const table = new PayloadTable(data);
  const { conversations } = data;
  const all = conversations === undefined
    ? data.inputTokens.length
    : conversations.profilingConversations;
  const count = Math.min(sample, all);
  const sampled: SampledPrompt[] = [];
  for (let i = 0; i < count; i++) {
    const place = Math.floor(i * all / count);
    const entry = conversations === undefined
      ? place
      : conversations.conversationStart[place] as number;
    const turn: SaltedTurn = { phase: "warmup", session: FIRST_SESSION + i, turn: 0 };
    const fields = type.body.decode(table.wholeBodyOf(entry, 0, turn));
    if (fields === undefined) continue;
    const { model: _model, ...rest } = fields;
    sampled.push({
      body: type.body.encode(quietBody(type, fields, seed)),
      fingerprint: fnv1a(encoder.encode(JSON.stringify(rest))),
    });
  }
  return sampled;
}
