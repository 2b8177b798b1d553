/** Signs of a flaw that has no JSON pointer, quoted name or value in it. */
const PLAIN = /^[a-z\d ,:;]*$/i;
/** Words before the name of a tool or property. */
const NAMING = /\barguments of (?!expected tool call)|\bpropert/;
/** What is written in place of a flaw with names. */
const LEFT_OUT = "left out: it has names of the request";

/**
 * Returns the place and reason of the first flaw of a reply as it may be shared without prompts: names of
 * expected JSON, of schemas and of tools are parts of a request.
 */
export function namelessFlaw(flaw: string): string {
  return PLAIN.test(flaw) && !NAMING.test(flaw) ? flaw : LEFT_OUT;
}
