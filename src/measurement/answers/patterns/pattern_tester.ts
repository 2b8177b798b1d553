/** Tests texts against foreign patterns, which may take hours for one text. */
export interface PatternTester {
  /**
   * Whether a pattern matches anywhere in a text.
   * @param flags of the regular expression
   * @returns undefined if the pattern did not end in time, or is no pattern
   */
  test(pattern: string, flags: string, text: string): boolean | undefined;
}
