import { isSecretName } from "../../../core/secrets/secret_names.ts";
import { isServiceKey, keysIn } from "../../../core/secrets/secret_values.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { RunTag } from "../run_plan.ts";

const MAX_TAGS = 64;
const MAX_VALUE = 256;
const NAME = /^[A-Za-z0-9_][\w./-]{0,63}$/;

/**
 * Reads `--tag`: `name=value` each, or a mapping as JSON; by ascending names.
 * @throws {UsageError} for a text of another form, a name given twice, or one that means a secret
 */
export function parseTags(texts: readonly string[]): RunTag[] {
  const tags = new Map<string, string>();
  for (const text of texts.flatMap(entriesOf)) {
    const [name, value] = parseTag(text);
    const earlier = tags.get(name);
    if (earlier !== undefined && earlier !== value) {
      throw new UsageError("--tag", `"${name}" is given twice, with different values`);
    }
    tags.set(name, value);
  }
  if (tags.size > MAX_TAGS) {
    throw new UsageError("--tag", `At most ${MAX_TAGS} are taken: got ${tags.size}`);
  }
  return [...tags].sort(([a], [b]) => a < b ? -1 : 1);
}

/** In a configuration file they may be a mapping, which comes as JSON. */
function entriesOf(text: string): string[] {
  if (!text.trimStart().startsWith("{")) return [text];
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => `${name}=${value}`);
  } catch {
    return [text];
  }
}

function parseTag(text: string): RunTag {
  const at = text.indexOf("=");
  // What stands without a name may be a secret that slipped in here.
  if (at < 1) throw new UsageError("--tag", "Expected name=value, as in --tag commit=1a2b3c");
  const name = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (!NAME.test(name)) {
    throw new UsageError(
      "--tag",
      `A name has up to 64 letters, digits and . _ - /: got ${JSON.stringify(name.slice(0, 80))}`,
    );
  }
  if (keysIn(value).some(isServiceKey)) {
    throw new UsageError(
      "--tag",
      `The value of "${name}" looks like a key, and tags are written into every file`,
    );
  }
  if (isSecretName(name)) {
    throw new UsageError("--tag", `"${name}" names a secret, and tags are written into every file`);
  }
  if (value === "" || value.length > MAX_VALUE || /\p{Cc}/u.test(value)) {
    throw new UsageError(
      "--tag",
      `The value of "${name}" must have 1 to ${MAX_VALUE} characters and no control characters`,
    );
  }
  return [name, value];
}
