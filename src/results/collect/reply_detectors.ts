import { FIELD } from "../../client/record/request_fields.ts";
import { ForeignSalts } from "../../load/dataset/payloads/foreign_salt.ts";
import type { SaltWords } from "../../load/dataset/payloads/prompt_salt.ts";
import { anomalyBit } from "../../measurement/answers/anomaly_kinds.ts";
import { findAnomalies } from "../../measurement/answers/find_anomalies.ts";

/** Longest text that is looked at, in bytes of each kind of text. */
const MAX_BYTES = 1024 * 1024;
const FOREIGN_TEXT = anomalyBit("foreign_text");
const NOTHING = new Uint8Array(0);

/** Looks at replies for anomalies where tokens are counted: it takes no time from load threads. */
export class ReplyDetectors {
  readonly #foreign: ForeignSalts | undefined;
  readonly #decoder = new TextDecoder();

  /** @param salts of the prompts; undefined if they have none, so that foreign text has no marker */
  constructor(salts: SaltWords | undefined) {
    this.#foreign = salts && new ForeignSalts(salts);
  }

  /**
   * Anomalies of a valid reply as bits; see `ANOMALY_KINDS`.
   * @param request the numbers of its record
   * @param choices UTF-8 of answer, reasoning and tool calls of each choice
   */
  anomaliesOf(
    request: Float64Array,
    choices: readonly (readonly (Uint8Array | undefined)[])[],
  ): number {
    const asked = {
      isWarmup: request[FIELD.phase] === 0,
      session: request[FIELD.session] as number,
    };
    let bits = 0;
    for (const choice of choices) {
      const [text = NOTHING, reasoning = NOTHING, toolText = NOTHING] = choice.map((bytes) =>
        bytes?.subarray(0, MAX_BYTES)
      );
      bits |= findAnomalies({
        ...{ text, reasoning, toolText },
        items: request[FIELD.items] || 0,
        isCut: request[FIELD.endedAtLimit] === 1 || text.length === MAX_BYTES ||
          reasoning.length === MAX_BYTES,
      });
      const foreign = this.#foreign;
      const isForeign = foreign !== undefined &&
        [text, reasoning, toolText].some((bytes) =>
          bytes.length > 0 && foreign.isIn(this.#decoder.decode(bytes), asked)
        );
      if (isForeign) bits |= FOREIGN_TEXT;
    }
    return bits;
  }
}
