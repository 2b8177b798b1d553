import fc from "fast-check";

const BLANKS = fc.oneof(
  { weight: 8, arbitrary: fc.constant("") },
  fc.constantFrom(" ", "\t", "\r", "  "),
);
const STRINGS = fc.array(
  fc.constantFrom(
    "x",
    "a",
    "key",
    " ",
    "é",
    "😀",
    '\\"',
    "\\n",
    "\\/",
    "\\u0041",
    "\\ud83d",
    "\u007f",
  ),
  { maxLength: 3 },
).map((parts) => `"${parts.join("")}"`);
const SCALARS = fc.oneof(
  fc.constantFrom("true", "false", "null", "0", "-0", "7", "1024", "0.5", "-1e5", "1E+2", "1e-400"),
  fc.constantFrom(
    "999999999999999",
    "9007199254740993",
    "98765432109876543",
    "12345678901234567890",
    "3.141592653589793238",
  ),
);

/**
 * Texts of JSON values in any valid spelling: blanks, escapes, names in any order and several times.
 * @param names of fields, as they are written between quotation marks
 */
export function jsonTexts(names: readonly string[]): fc.Arbitrary<string> {
  const fieldNames = fc.constantFrom(...names);
  const padded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(BLANKS, text, BLANKS).map((parts) => parts.join(""));
  const { value } = fc.letrec<{ value: string; object: string }>((tie) => {
    const fields = fc.tuple(padded(fieldNames.map((name) => `"${name}"`)), padded(tie("value")));
    const object = fc.array(fields.map((parts) => parts.join(":")), { maxLength: 5 })
      .chain((parts) => BLANKS.map((blank) => `{${parts.join(",") || blank}}`));
    const list = fc.array(padded(tie("value")), { maxLength: 3 })
      .chain((parts) => BLANKS.map((blank) => `[${parts.join(",") || blank}]`));
    return {
      object,
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        ...[SCALARS, STRINGS, list, tie("object"), tie("object")],
      ),
    };
  });
  return value;
}
