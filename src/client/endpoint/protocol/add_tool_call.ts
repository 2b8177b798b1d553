import { type ToolCall, WHOLE_CALL } from "./delta.ts";

/** Adds a call, or a piece of one, to the calls of a choice, in the order in which they began. */
export function addToolCall(calls: ToolCall[], piece: ToolCall): void {
  const call = calls.find(({ index }) => index === piece.index);
  if (call === undefined || piece.index === WHOLE_CALL) {
    calls.push({ ...piece });
    return;
  }
  call.id ||= piece.id;
  call.name += piece.name;
  call.argumentsText += piece.argumentsText;
}
