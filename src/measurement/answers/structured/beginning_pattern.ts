import type { PatternNode } from "./pattern_node.ts";

/** Returns a pattern that matches each beginning of what a pattern matches as a whole. */
export function beginningPattern(node: PatternNode): string {
  switch (node.kind) {
    case "atom":
      return `(?:${node.source})?`;
    case "mark":
      return "";
    case "group":
      return `${node.open}${beginningPattern(node.inner)})`;
    case "either":
      return `(?:${node.parts.map(beginningPattern).join("|")})`;
    case "repeat": {
      const { inner, max } = node;
      if (max === 0) return "";
      const before = max === Infinity ? "*" : `{0,${max - 1}}`;
      return `(?:${whole(inner)})${before}${beginningPattern(inner)}`;
    }
    case "sequence":
      return beginningOfAll(node.parts);
  }
}

/** Halved again and again, so that the nesting grows slowly with the length. */
function beginningOfAll(parts: readonly PatternNode[]): string {
  if (parts.length < 2) return parts.map(beginningPattern).join("");
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return `(?:${beginningOfAll(left)}|${left.map(whole).join("")}${beginningOfAll(right)})`;
}

/** The pattern of a node, which is as it was but for lazy repetition and names. */
function whole(node: PatternNode): string {
  switch (node.kind) {
    case "atom":
    case "mark":
      return node.source;
    case "group":
      return `${node.open}${whole(node.inner)})`;
    case "either":
      return `(?:${node.parts.map(whole).join("|")})`;
    case "repeat": {
      const { inner, min, max } = node;
      const limit = max === Infinity ? "" : String(max);
      return `(?:${whole(inner)}){${min},${limit}}`;
    }
    case "sequence":
      return node.parts.map(whole).join("");
  }
}
