/** Values as `key=value,key=value`, as JSON, or one word. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a field as text; undefined if it is missing. */
export function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Reads `{"a":1}`, `a=1,b=2,c.d=3`, or a word (as `kind`). */
export function fieldsOf(value: string): Fields {
  if (value.trim() === "") return {};
  const read = parsed(value);
  if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Fields;
  if (!value.includes("=")) return { kind: value };
  const pairs = new Map<string, string>();
  let last: string | undefined;
  for (const pair of value.split(",")) {
    const at = pair.indexOf("=");
    if (at < 0 && last !== undefined) pairs.set(last, `${pairs.get(last)},${pair}`);
    else pairs.set(last = pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  const fields: Record<string, unknown> = {};
  for (const [name, content] of pairs) {
    const path = name.split(".");
    const own = path.pop() as string;
    let inner = fields;
    for (const step of path) {
      const next = inner[step];
      inner = inner[step] = (typeof next === "object" && next !== null ? next : {}) as Record<
        string,
        unknown
      >;
    }
    // What goes into a body has a type.
    inner[own] = path.length > 0 ? parsed(content) ?? content : content;
  }
  return fields;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
