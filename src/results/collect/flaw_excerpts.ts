import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import { FIELD } from "../../client/record/request_fields.ts";
import { VERDICT } from "../../client/record/verdict.ts";
import type { Redactor } from "../../core/secrets/redactor.ts";
import type { PayloadPlace } from "../../load/dataset/payloads/payload_table.ts";
import { MAX_EXAMPLES } from "../../measurement/answers/answer_tally.ts";
import { ending, excerpt } from "../../measurement/answers/excerpt.ts";
import { shownAnswers } from "../../measurement/answers/shown/shown_answers.ts";
import type { FlawPlace } from "../../measurement/answers/invalid_reason.ts";
import { jsonPlace } from "../../measurement/answers/shown/json_place.ts";
import type { ReplyVerdict } from "./reply_verdicts.ts";

/** Keeps excerpts of the first wrong answers and the first invalid replies of a profiling phase. */
export class FlawExcerpts {
  readonly #type: EndpointType;
  readonly #redact: Redactor;
  #wrong = 0;
  #invalid = 0;

  /** @param redact takes secrets out of excerpts, which are written to files */
  constructor(type: EndpointType, redact: Redactor) {
    this.#type = type;
    this.#redact = redact;
  }

  /**
   * Returns the excerpts of a request; undefined for a reply without flaws, and if there are enough.
   * @param request the numbers of its record
   */
  of(
    { valid, wrong }: ReplyVerdict,
    request: Float64Array,
    place: PayloadPlace,
  ): FlawTexts | undefined {
    if (request[FIELD.phase] === 0) return undefined;
    const isWrong = wrong !== undefined && this.#wrong < MAX_EXAMPLES;
    const isInvalid = valid?.outcome === VERDICT.no && this.#invalid < MAX_EXAMPLES;
    if (!isWrong && !isInvalid) return undefined;
    const shown = isWrong ? shownAnswers(wrong.expected, wrong.reply, this.#redact) : undefined;
    if (isWrong) this.#wrong++;
    if (isInvalid) this.#invalid++;
    const prompt = this.#promptOf(place);
    return {
      ...(prompt === undefined ? {} : { prompt: ending(this.#redact(prompt)) }),
      ...(shown === undefined ? {} : { wrong: shown }),
      ...(isInvalid ? { invalid: this.#excerptAt(valid.place) } : {}),
    };
  }

  #excerptAt({ text, at }: FlawPlace = { text: "", at: 0 }): string {
    const place = typeof at === "number" ? at : jsonPlace(text, at);
    // Secrets are taken out of the whole text: an excerpt could cut one in two.
    return excerpt(this.#redact(text), place);
  }

  /** The last text of a request; undefined if its body has none. */
  #promptOf({ table, entry }: PayloadPlace): string | undefined {
    const fields = this.#type.body.decode(table.wholeBodyOf(entry));
    return fields && this.#type.inputTexts(fields).at(-1);
  }
}
