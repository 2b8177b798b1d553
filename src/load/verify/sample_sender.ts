import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { readReplyOf } from "../../client/endpoint/read_reply.ts";
import { createTransport } from "../../client/http/create_transport.ts";
import { getReply, NoReplyError } from "../../client/http/get_reply.ts";
import { accessHeaderLines } from "../../config/plan/access_header_lines.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";

const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const encoder = new TextEncoder();

/** Reply to a prompt of the sample. */
export interface SampleReply {
  /** The answer, its reasoning and its tool calls. */
  readonly answer: string;
  /** Tokens by the usage in the reply; undefined without it. */
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
}

/** Sends prompts of the sample to the first server of a run, each over a connection of its own. */
export class SampleSender {
  readonly #plan: RunPlan;
  readonly #type: EndpointType;
  readonly #bodies: readonly Uint8Array[];
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #headerLines: string;

  constructor(plan: RunPlan, bodies: readonly Uint8Array[]) {
    const type = configuredType(plan);
    const [target] = plan.targets as [Target];
    this.#plan = plan;
    this.#type = type;
    this.#bodies = bodies;
    this.#transport = createTransport(plan.transport, {
      reuse: "never",
      trust: plan,
      nowNs: () => Math.round(performance.now() * 1e6),
    });
    this.#headerLines = accessHeaderLines(plan, target, type);
  }

  /**
   * Returns the reply to a prompt of the sample; undefined if the request fails. The request ID names
   * the pass, so that logs of servers show what belongs to no load.
   */
  async ask(prompt: number, pass: string, signal: AbortSignal): Promise<SampleReply | undefined> {
    const { targets: [target], requestTimeoutNs, benchmarkId } = this.#plan;
    if (target === undefined) return undefined;
    try {
      const { status, text } = await getReply(this.#transport, target.origin, target.path, {
        headerLines:
          `${this.#headerLines}X-Request-ID: verify-${pass}-${prompt}-${benchmarkId}\r\n`,
        timeoutMs: Math.min(requestTimeoutNs / 1e6, 2 ** 31 - 1),
        maxBytes: MAX_REPLY_BYTES,
        method: "POST",
        body: this.#bodies[prompt] as Uint8Array,
        signal,
      });
      const verdict = readReplyOf(this.#type, {
        status,
        headers: [],
        body: [encoder.encode(text)],
        complete: true,
      });
      if (!verdict.valid && verdict.error?.kind !== "no_content") return undefined;
      return {
        answer: [verdict.reasoning, verdict.text, verdict.toolText]
          .filter((part) => part !== "").join("\n"),
        promptTokens: verdict.usage?.["prompt_tokens"],
        completionTokens: verdict.usage?.["completion_tokens"],
      };
    } catch (error) {
      if (error instanceof NoReplyError) return undefined;
      throw error;
    }
  }

  /** Closes what is open. */
  close(): void {
    this.#transport.close();
  }
}
