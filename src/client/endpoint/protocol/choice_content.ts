import { addToolCall } from "./add_tool_call.ts";
import { ByteAccumulator } from "./byte_accumulator.ts";
import type { ChoiceDelta, ToolCall } from "./delta.ts";

/** Content of a choice other than choice 0, and when it arrived. */
export class ChoiceContent {
  readonly index: number;
  /** Answer, reasoning, and names and arguments of tool calls, UTF-8. */
  readonly text = new ByteAccumulator();
  readonly reasoning = new ByteAccumulator();
  readonly toolText = new ByteAccumulator();
  readonly toolCalls: ToolCall[] = [];
  finishReason: string | null = null;
  /** When its first and its last content chunk arrived; NaN while there is none. */
  firstNs = NaN;
  lastNs = NaN;

  constructor(index: number) {
    this.index = index;
  }

  get hasContent(): boolean {
    return !Number.isNaN(this.firstNs);
  }

  /**
   * Adds what arrived at `stampNs`.
   * @returns whether there was content in it
   */
  add(
    { text, reasoning, toolText, toolCalls, finishReason, items }: ChoiceDelta,
    stampNs: number,
  ): boolean {
    for (const call of toolCalls) addToolCall(this.toolCalls, call);
    if (finishReason !== null) this.finishReason = finishReason;
    if (text === "" && reasoning === "" && toolText === "" && items === 0) return false;
    this.text.appendText(text);
    this.reasoning.appendText(reasoning);
    this.toolText.appendText(toolText);
    if (!this.hasContent) this.firstNs = stampNs;
    this.lastNs = stampNs;
    return true;
  }
}
