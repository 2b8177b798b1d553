/** Kinds of characters in exposition text, by UTF-16 code unit. */

export const TAB = 9;
export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const COMMA = 44;
export const MINUS = 45;
export const POINT = 46;
export const EQUALS = 61;
export const BACKSLASH = 92;
export const OPENING_BRACE = 123;
export const CLOSING_BRACE = 125;

const METRIC_START = 1;
const METRIC_CHARACTER = 2;
const LABEL_START = 4;
const LABEL_CHARACTER = 8;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[a-zA-Z_]/.test(character)) classes[code] = 15;
  else if (/[0-9]/.test(character)) classes[code] = METRIC_CHARACTER | LABEL_CHARACTER;
  else if (character === ":") classes[code] = METRIC_START | METRIC_CHARACTER;
}

/** Whether an unquoted metric name may start with this. */
function startsMetricName(code: number): boolean {
  return code < 128 && ((classes[code] as number) & METRIC_START) !== 0;
}

/** Whether an unquoted label name may start with this. */
function startsLabelName(code: number): boolean {
  return code < 128 && ((classes[code] as number) & LABEL_START) !== 0;
}

/** End of the unquoted metric name that starts at `position`; `position` if there is none. */
export function metricNameEnd(text: string, position: number, end: number): number {
  if (position >= end || !startsMetricName(text.charCodeAt(position))) return position;
  let at = position + 1;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code >= 128 || ((classes[code] as number) & METRIC_CHARACTER) === 0) break;
    at++;
  }
  return at;
}

/** End of the unquoted label name that starts at `position`; `position` if there is none. */
export function labelNameEnd(text: string, position: number, end: number): number {
  if (position >= end || !startsLabelName(text.charCodeAt(position))) return position;
  let at = position + 1;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code >= 128 || ((classes[code] as number) & LABEL_CHARACTER) === 0) break;
    at++;
  }
  return at;
}

/** Whether a name can stand without quotes as a metric's. */
export function isPlainMetricName(name: string): boolean {
  return name !== "" && metricNameEnd(name, 0, name.length) === name.length;
}

/** Whether a name can stand without quotes as a label's. */
export function isPlainLabelName(name: string): boolean {
  return name !== "" && labelNameEnd(name, 0, name.length) === name.length;
}

/** The first place from `position` that holds neither space nor tab. */
export function skipBlanks(text: string, position: number, end: number): number {
  let at = position;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== TAB) break;
    at++;
  }
  return at;
}

/** The first place from `position` that holds a space or tab, else `end`. */
export function nextBlank(text: string, position: number, end: number): number {
  let at = position;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB) break;
    at++;
  }
  return at;
}
