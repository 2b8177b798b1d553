import type { ConversationTurn } from "../../load/dataset/conversations/conversation.ts";
import type { FormatContext, InputFormat } from "../../load/dataset/formats/input_format.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import type { InputSource } from "../../load/dataset/formats/input_source.ts";
import type { TraceRow } from "../../load/dataset/formats/trace_row.ts";
import { outputLimitOf } from "../../client/endpoint/protocol/endpoint_type.ts";

/** Properties of a request that an analysis needs. */
export type AnalysedRow = Pick<
  TraceRow,
  "session" | "timestampMs" | "inputTokens" | "outputTokens" | "hashIds"
>;

/**
 * The requests of a file; those that have texts instead of lengths have the tokens of their texts.
 * @param tokenizer counts them; asked for where it is needed
 */
export async function* analysedRows(
  source: InputSource,
  format: InputFormat,
  context: FormatContext,
  tokenizer: () => Promise<Tokenizer | undefined>,
): AsyncGenerator<AnalysedRow> {
  if (format.rows !== undefined) {
    for await (const row of format.rows(source)) {
      if (row.request === undefined) yield row;
      else {
        const counting = { type: context.type, tokenizer: await tokenizer() };
        const { inputTokens, outputTokens } = lengthsOf(row.request, counting);
        yield { ...row, inputTokens, outputTokens: row.outputTokens ?? outputTokens };
      }
    }
    return;
  }
  let number = 0;
  for await (const { id, turns } of format.read(source, context)) {
    const session = id ?? `${number++}`;
    for (const { request, timestampMs } of turns) {
      yield { session, timestampMs, hashIds: undefined, ...lengthsOf(request, context) };
    }
  }
}

/** Without the history, which live replies are part of. */
function lengthsOf(
  request: ConversationTurn["request"],
  { type, tokenizer }: Pick<FormatContext, "type" | "tokenizer">,
): Pick<AnalysedRow, "inputTokens" | "outputTokens"> {
  const counted = (texts: readonly string[]) => tokenizer?.count(texts.join(" "));
  switch (request.kind) {
    case "content":
      return {
        inputTokens: request.inputTokens ?? counted(request.content.texts),
        outputTokens: request.content.outputTokens,
      };
    case "messages":
      return {
        inputTokens: counted(type.inputTexts({ "messages": request.messages })),
        outputTokens: request.outputTokens,
      };
    default: {
      const body = request.kind === "body" ? request.body : type.body.decode(request.bytes) ?? {};
      return {
        inputTokens: counted(type.inputTexts(body)),
        outputTokens: outputLimitOf(type, body),
      };
    }
  }
}
