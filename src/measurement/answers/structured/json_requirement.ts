import type { Flaw, InvalidReason } from "../invalid_reason.ts";
import { invalidJsonAt } from "./invalid_json_at.ts";
import type { SchemaFlaw } from "./schema_compiler.ts";

/** Where a text breaks the requirement that it is JSON, or JSON of some kind. */
export interface JsonRequirement {
  /** Finds the place where a value does not fit; undefined if any object will do. */
  readonly fits: ((value: unknown) => SchemaFlaw | undefined) | undefined;
  /** Name of the text in messages. */
  readonly subject: string;
  readonly notJson: InvalidReason;
  readonly misfit: InvalidReason;
}

/**
 * Returns the first flaw of a text that must be JSON; undefined if there is none.
 * @param isCut whether the token limit ended it
 */
export function jsonFlaw(
  text: string,
  { fits, subject, notJson, misfit }: JsonRequirement,
  isCut: boolean,
): Flaw | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = invalidJsonAt(text);
    if (at === undefined || (isCut && at === text.length)) return cutFlaw(subject, text);
    const where = at === text.length ? `at its end, character ${at}` : `at character ${at}`;
    return { reason: notJson, message: `${subject}: not JSON ${where}`, place: { text, at } };
  }
  if (fits === undefined) {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : {
      reason: misfit,
      message: `${subject} at the root: must be object`,
      place: { text, at: 0 },
    };
  }
  const flaw = fits(value);
  if (flaw === undefined) return undefined;
  const place = flaw.pointer === "" ? "the root" : flaw.pointer;
  return {
    reason: misfit,
    message: `${subject} at ${place}: ${flaw.message}`,
    place: { text, at: flaw.wholePointer },
  };
}

/** The flaw of a text that its token limit cut off. */
export function cutFlaw(subject: string, text: string): Flaw {
  const message = `${subject}: cut off by the token limit at its end, character ${text.length}`;
  return { reason: "cut", message, place: { text, at: text.length } };
}
