/** Excerpts of a request whose reply has a flaw, which a report shows side by side. */
export interface FlawTexts {
  /** End of the prompt; absent if it is not known. */
  readonly prompt?: string | undefined;
  /** Expected and given answer around their first difference; absent if the answer is not wrong. */
  readonly wrong?: { readonly expected: string; readonly reply: string } | undefined;
  /** Reply around the first place that breaks a requirement of its request; absent if none does. */
  readonly invalid?: string | undefined;
}
