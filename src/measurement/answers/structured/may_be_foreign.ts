/**
 * Signs of what RE2 has no syntax for, in the JSON of a pattern: look-around, back references, atomic
 * groups, conditions, possessive quantifiers, and about 1,000 repetitions or more, also as repetitions of
 * repetitions.
 */
const SIGNS = /\(\?<?[=!]|\(\?[>(]|\(\?P=|\\\\(?:[1-9]|k<)|[*+?}]\+|\{\d*,?\d{4,}|\}[^{}"]*\)\{\d/;

/** Whether the JSON of a requirement may have a pattern that RE2 refuses. */
export function mayBeForeign(constraint: string): boolean {
  return SIGNS.test(constraint);
}
