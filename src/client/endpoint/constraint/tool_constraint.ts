import { isFields } from "../protocol/json_fields.ts";
import type { OfferedTool, ToolConstraint } from "./reply_constraint.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Types of Anthropic's tools that have a name and are run by the server. */
const SERVER_TOOL = /^(?:web_search|web_fetch|code_execution|tool_search)_/;

/** Choices that name no tool. */
const USES: Readonly<Record<string, ToolConstraint["use"]>> = {
  "auto": "auto",
  "none": "none",
  "required": "required",
  "any": "required",
};

/**
 * Returns the requirement of a body on the tool calls of its reply: `tools` and `tool_choice` of
 * OpenAI's APIs, Anthropic's Messages and Ollama, and OpenAI's earlier `functions` and `function_call`.
 *
 * @returns undefined if the body offers no tools
 */
export function toolConstraintOf(fields: Fields): ToolConstraint | undefined {
  const { tools, functions } = fields;
  const given = [tools, functions].flatMap((list) => Array.isArray(list) ? list : []);
  if (given.length === 0) return undefined;
  const offered = given.flatMap((tool) => offeredTool(tool) ?? []);
  const isOpen = offered.length < given.length;
  const choice = choiceOf(fields["tool_choice"] ?? fields["function_call"]);
  return {
    offered,
    isOpen,
    // A tool that the server runs itself may be the required one, and its calls are not in the reply.
    ...(isOpen && choice.use === "required" ? { use: "auto" } : choice),
    ...(isSingle(fields) ? { isSingle: true } : {}),
  };
}

function isSingle({ parallel_tool_calls: isParallel, tool_choice: choice }: Fields): boolean {
  return isParallel === false ||
    (isFields(choice) && choice["disable_parallel_tool_use"] === true);
}

/** A tool with a name that the client runs; others are provided by the server. */
function offeredTool(tool: unknown): OfferedTool | undefined {
  if (!isFields(tool) || SERVER_TOOL.test(String(tool["type"]))) return undefined;
  const source = [tool["function"], tool["custom"]].find(isFields) ?? tool;
  const { name } = source;
  if (typeof name !== "string" || name === "") return undefined;
  // Anthropic's name of the parameters is input_schema.
  const schema = source["parameters"] ?? source["input_schema"];
  return {
    name,
    ...(isFields(schema) ? { schema } : {}),
    ...(tool["type"] === "custom" && schema === undefined ? { takesText: true } : {}),
  };
}

function choiceOf(choice: unknown): Pick<ToolConstraint, "use" | "only"> {
  if (typeof choice === "string") {
    // TGI takes the name of a tool as well.
    return named(choice === "" ? "auto" : choice);
  }
  if (!isFields(choice)) return { use: "auto" };
  const { type } = choice;
  if (type === "allowed_tools") return allowedTools(choice);
  const name = nameOf(choice);
  if (name !== undefined) return { use: "required", only: [name] };
  // Other types stand for tools of the server.
  return { use: typeof type === "string" ? USES[type] ?? "auto" : "auto" };
}

function allowedTools(choice: Fields): Pick<ToolConstraint, "use" | "only"> {
  const allowed = isFields(choice["allowed_tools"]) ? choice["allowed_tools"] : choice;
  const { mode, tools } = allowed;
  const names = Array.isArray(tools) ? tools.map(nameOf) : [];
  const isKnown = names.length > 0 && names.every((name) => name !== undefined);
  return {
    use: mode === "required" ? "required" : "auto",
    ...(isKnown ? { only: names as string[] } : {}),
  };
}

function named(choice: string): Pick<ToolConstraint, "use" | "only"> {
  const use = USES[choice];
  return use === undefined ? { use: "required", only: [choice] } : { use };
}

function nameOf(tool: unknown): string | undefined {
  if (!isFields(tool)) return undefined;
  const source = [tool["function"], tool["custom"]].find(isFields) ?? tool;
  const { name } = source;
  return typeof name === "string" && name !== "" ? name : undefined;
}
