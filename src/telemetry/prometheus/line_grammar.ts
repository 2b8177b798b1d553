/** Differences of the formats on a line with a value. */
export interface LineGrammar {
  /** One space between tokens and none elsewhere, instead of any number of spaces and tabs. */
  readonly singleSpaces: boolean;
  /** A comma may follow the last label. */
  readonly trailingComma: boolean;
  /** Whether a comma may precede the first label. */
  readonly leadingComma: boolean;
  /** Form of a timestamp: whole milliseconds since 1970, or a decimal number. */
  readonly timestamp: "whole" | "decimal";
  /** Exemplars may follow. */
  readonly exemplars: boolean;
  /** Label names that start with `__` are refused. */
  readonly reservedLabels: boolean;
  /** A NaN with a sign and numbers too large for a double, times included, are refused. */
  readonly exactNumbers: boolean;
}

/** Whatever can be understood. */
export const TOLERANT_GRAMMAR: LineGrammar = {
  singleSpaces: false,
  trailingComma: true,
  leadingComma: true,
  timestamp: "decimal",
  exemplars: true,
  reservedLabels: false,
  exactNumbers: false,
};

/** The text format 0.0.4. */
export const CLASSIC_GRAMMAR: LineGrammar = {
  singleSpaces: false,
  trailingComma: true,
  leadingComma: false,
  timestamp: "whole",
  exemplars: false,
  reservedLabels: false,
  exactNumbers: true,
};

/** OpenMetrics 1.0, and quoted UTF-8 names. */
export const OPEN_METRICS_GRAMMAR: LineGrammar = {
  singleSpaces: true,
  trailingComma: false,
  leadingComma: false,
  timestamp: "decimal",
  exemplars: true,
  reservedLabels: true,
  exactNumbers: true,
};
