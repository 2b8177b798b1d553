import type { CalledTool } from "../../client/record/record_block.ts";

/** A call of a tool in a reply. */
export interface ToolCall {
  readonly name: string;
  /** Arguments by their names; undefined if they are no JSON object. */
  readonly arguments: unknown;
}

/**
 * Returns the tool calls of a choice. A reply without a list of calls has only a text with names and
 * arguments one after another, in which a name extends to the first `{`.
 */
export function toolCallsOf(
  { toolCalls, toolText }: {
    readonly toolCalls: readonly CalledTool[];
    readonly toolText: string;
  },
): ToolCall[] {
  return toolCalls.length === 0
    ? callsIn(toolText)
    : toolCalls.map(({ name, argumentsText }) => ({ name, arguments: parsed(argumentsText) }));
}

function callsIn(toolText: string): ToolCall[] {
  const calls: ToolCall[] = [];
  let start = 0;
  while (start < toolText.length) {
    const open = toolText.indexOf("{", start);
    if (open < 0) {
      calls.push({ name: toolText.slice(start).trim(), arguments: {} });
      break;
    }
    const end = objectEnd(toolText, open);
    calls.push({
      name: toolText.slice(start, open).trim(),
      arguments: parsed(toolText.slice(open, end)),
    });
    start = end;
    while (/\s/.test(toolText[start] ?? "")) start++;
  }
  return calls;
}

/** The place behind the object that begins at a brace; the end of the text if it does not end. */
function objectEnd(text: string, open: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === "\\") at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

function parsed(text: string): unknown {
  // A tool without parameters may be called without arguments.
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
