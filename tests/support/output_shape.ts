/** Lines that depend on the machine or the run. */
const CONDITIONAL = new Set(["cause", "note", "warning", "hint", "error"]);

/**
 * Labels with which the lines of a console output begin, in order and without repetition. Words that
 * depend on the machine are replaced: the window (steady state or whole run), the agreement of client
 * and server, the diagnosis, and the state of publication.
 */
export function outputLabels(text: string): string[] {
  const labels = text.split("\n").flatMap((line) => {
    const [, label = ""] = /^([A-Za-z][A-Za-z/ ]*?(?: p\d+)?)(?= {2,}|: | [\d<])/.exec(line) ?? [];
    return label === "" || CONDITIONAL.has(label) ? [] : [generalLabel(label)];
  });
  return [...new Set(labels)];
}

function generalLabel(label: string): string {
  if (label === "steady" || label === "whole run") return "window";
  if (label === "agree" || label === "differ") return "agreement";
  if (label.includes("PUBLISHABLE")) return "publication";
  return /^[A-Z][A-Z -]{3,}$/.test(label) ? "diagnosis" : label;
}

/** Lines of an output with every number as `N`, every verdict as `VERDICT`, and single spaces. */
export function outputShape(text: string): string[] {
  return text.split("\n").map((line) =>
    line.replace(/[-+]?\d[\d.,]*/g, "N").replace(
      /\b(?:valid|suspect|invalid|not proven)\b/g,
      "VERDICT",
    )
      .replace(/ +/g, " ").trim()
  );
}
