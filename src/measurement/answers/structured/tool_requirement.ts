import type { ToolConstraint } from "../../../client/endpoint/constraint/reply_constraint.ts";
import type { CalledTool } from "../../../client/record/record_block.ts";
import type { Flaw } from "../invalid_reason.ts";
import { jsonFlaw, type JsonRequirement } from "./json_requirement.ts";
import type { SchemaCompiler } from "./schema_compiler.ts";

/** Returns the first flaw of the tool calls of a reply; undefined if there is none. */
export type ToolCheck = (calls: readonly CalledTool[], isCut: boolean) => Flaw | undefined;

/**
 * Returns the check of a requirement on the tool calls of a reply. Schemas are compiled when their
 * tools are called for the first time.
 */
export function toolCheck(constraint: ToolConstraint, schemas: SchemaCompiler): ToolCheck {
  const { offered, isOpen, use, only, isSingle } = constraint;
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const requirements = new Map<string, JsonRequirement>();
  const requirementOf = (name: string): JsonRequirement => {
    const known = requirements.get(name);
    if (known !== undefined) return known;
    const schema = tools.get(name)?.schema;
    const requirement: JsonRequirement = {
      fits: schema === undefined ? undefined : compiled(schema, schemas),
      subject: `arguments of ${name}`,
      notJson: "arguments_not_json",
      misfit: "arguments_schema",
    };
    requirements.set(name, requirement);
    return requirement;
  };
  const flawOfName = (name: string, place: number, isCut: boolean): Flaw | undefined => {
    if (only !== undefined ? only.includes(name) : isOpen || tools.has(name)) return undefined;
    // The end of the reply may have cut the name in two.
    if (isCut && [...tools.keys()].some((one) => one.startsWith(name))) {
      return { reason: "cut", message: `call ${place} is cut off by the token limit` };
    }
    const verb = tools.has(name) ? "allow" : "offer";
    return {
      reason: "wrong_tool",
      message: `call ${place} is of a tool that the request does not ${verb}`,
    };
  };
  const flawOfCall = (
    { name, argumentsText }: CalledTool,
    place: number,
    isCut: boolean,
  ): Flaw | undefined => {
    const flaw = flawOfName(name, place, isCut);
    if (flaw !== undefined) return flaw;
    const tool = tools.get(name);
    if (tool === undefined || tool.takesText === true) return undefined;
    // A tool without parameters may be called without arguments.
    const text = argumentsText.trim() === "" && !isCut ? "{}" : argumentsText;
    return jsonFlaw(text, requirementOf(name), isCut);
  };
  return (calls, isCut) => {
    if (calls.length === 0) {
      if (use !== "required") return undefined;
      return isCut
        ? { reason: "cut", message: "the token limit ended the reply before a tool call" }
        : { reason: "no_call", message: "no tool call, which the request requires" };
    }
    if (use === "none") {
      return { reason: "unasked_call", message: "a tool call, which the request forbids" };
    }
    for (const [index, call] of calls.entries()) {
      if (index > 0 && isSingle === true) {
        return { reason: "unasked_call", message: "a second tool call, which the request forbids" };
      }
      // Only the last call can be incomplete.
      const flaw = flawOfCall(call, index + 1, isCut && index === calls.length - 1);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  };
}

/** The check of a schema; for one that cannot be compiled, a check that fails each time. */
function compiled(schema: unknown, schemas: SchemaCompiler): ReturnType<SchemaCompiler["compile"]> {
  try {
    return schemas.compile(schema);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
