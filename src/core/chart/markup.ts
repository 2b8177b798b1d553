/** Text of servers and inputs inside HTML and SVG. */

// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;
/** Characters that turn the direction of what follows them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/** Unpaired surrogates: no file can hold them. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that means nothing but itself, between tags and in quoted attributes. */
export function escapedMarkup(text: string): string {
  return text.replace(CONTROLS, "\ufffd").replace(TURNING, "").replace(LONE, "\ufffd")
    .replace(/[&<>"']/g, (character) => NAMES[character] as string);
}

/** Attributes of a tag; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element whose content is markup already. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const parts = Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = typeof value === "number" ? shortNumber(value) : escapedMarkup(value);
    return [` ${key}="${text}"`];
  });
  return `<${name}${parts.join("")}>${content}</${name}>`;
}

/** A coordinate: a hundredth of a pixel is fine enough. */
export function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}
