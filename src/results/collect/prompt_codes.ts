import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import { joinedCodes, markCode, type PromptCoder } from "../../measurement/prefix/prompt_code.ts";
import { sentBody } from "../../report/export/requests/raw_record_json.ts";
import type { PromptRequest } from "./prompt_requests.ts";

/** Where a prompt comes from. */
type PromptPlace = Pick<
  PromptRequest,
  "phase" | "index" | "session" | "turn" | "entry" | "model"
>;

/** The codes of prompts as a server gets them, histories included. */
export class PromptCodes {
  readonly #type: EndpointType;
  readonly #payloads: PayloadSource;
  readonly #coder: PromptCoder;
  /** Codes by entry and model, where a prompt may be sent several times. */
  readonly #known = new Map<number, string | undefined>();
  /** Codes of the last turns of sessions, with the reply to them. */
  readonly #histories = new Map<number, string>();
  #phase = NaN;

  constructor(type: EndpointType, payloads: PayloadSource, coder: PromptCoder) {
    this.#type = type;
    this.#payloads = payloads;
    this.#coder = coder;
  }

  /** The code of a request; undefined if it has no text. */
  of(request: PromptPlace): string | undefined {
    const { phase, session, turn } = request;
    if (phase !== this.#phase) this.#histories.clear();
    this.#phase = phase;
    const { entry, table } = this.#payloads.locate(request.entry);
    const own = this.#own(request);
    const { conversations } = table.data;
    if (own === undefined || conversations === undefined) return own;
    const before = turn > 0 && conversations.followsHistory[entry] === 1
      ? this.#histories.get(session)
      : undefined;
    return before === undefined ? own : joinedCodes([before, own]);
  }

  /**
   * The code of a request and the reply to it, with which the next turn of the session begins;
   * undefined if no turn does.
   * @param code of the request
   */
  withReply(request: PromptPlace, code: string): string | undefined {
    const { phase, session, turn } = request;
    const { entry, table } = this.#payloads.locate(request.entry);
    if (table.data.conversations?.followsHistory[entry + 1] !== 1) return undefined;
    const whole = joinedCodes([code, markCode(`reply ${phase}.${session}.${turn}`)]);
    this.#histories.set(session, whole);
    return whole;
  }

  /** Forgets a session that is over. */
  end({ session }: Pick<PromptPlace, "session">): void {
    this.#histories.delete(session);
  }

  #own(request: PromptPlace): string | undefined {
    const { model } = request;
    const { entry, table } = this.#payloads.locate(request.entry);
    const { markers, modelCount, salts } = table.data;
    const isShared = markers === undefined && salts === undefined &&
      table === this.#payloads;
    const key = entry * modelCount + model;
    if (isShared && this.#known.has(key)) return this.#known.get(key);
    const fields = this.#type.body.decode(sentBody(table, entry, request, model));
    const texts = fields === undefined ? [] : this.#type.inputTexts(fields);
    const codes = joinedCodes(texts.map((text) => this.#coder.code(text)));
    // Models share no cache.
    const code = texts.length === 0
      ? undefined
      : model === 0
      ? codes
      : markCode(`model ${model}`) + codes;
    if (isShared) this.#known.set(key, code);
    return code;
  }
}
