import type { ConversationTurn } from "../dataset/conversations/conversation.ts";
import type { FormatContext, InputFormat } from "../dataset/formats/input_format.ts";
import type { InputSource } from "../dataset/formats/input_source.ts";
import type { TraceRow } from "../dataset/formats/trace_row.ts";
import { outputLimitOf } from "../endpoint/protocol/endpoint_type.ts";

/** What an analysis needs of a request. */
export type AnalysedRow = Pick<
  TraceRow,
  "session" | "timestampMs" | "inputTokens" | "outputTokens" | "hashIds"
>;

/** The requests of a file; those of formats with texts have the tokens of their texts. */
export async function* analysedRows(
  source: InputSource,
  format: InputFormat,
  context: FormatContext,
): AsyncGenerator<AnalysedRow> {
  if (format.rows !== undefined) {
    yield* format.rows(source);
    return;
  }
  let number = 0;
  for await (const { id, turns } of format.read(source, context)) {
    const session = id ?? `${number++}`;
    for (const turn of turns) yield { session, ...lengthsOf(turn, context) };
  }
}

/** Without the history, which live replies are part of. */
function lengthsOf(
  { request, timestampMs }: ConversationTurn,
  { type, tokenizer }: FormatContext,
): Omit<AnalysedRow, "session"> {
  const counted = (texts: readonly string[]) => tokenizer?.count(texts.join(" "));
  const made = { timestampMs, hashIds: undefined };
  switch (request.kind) {
    case "content":
      return {
        ...made,
        inputTokens: request.inputTokens ?? counted(request.content.texts),
        outputTokens: request.content.outputTokens,
      };
    case "messages":
      return {
        ...made,
        inputTokens: counted(type.inputTexts({ "messages": request.messages })),
        outputTokens: request.outputTokens,
      };
    default: {
      const body = request.kind === "body" ? request.body : type.body.decode(request.bytes) ?? {};
      return {
        ...made,
        inputTokens: counted(type.inputTexts(body)),
        outputTokens: outputLimitOf(type, body),
      };
    }
  }
}
