const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The fields of a request body before they are bytes. */
export type BodyFields = Record<string, unknown>;

/** How the fields of a request body become the bytes that are sent. */
export interface BodyFormat {
  readonly contentType: string;
  /** Whether the bytes are JSON already. */
  readonly isJson: boolean;
  /** Description of such a body, for messages. */
  readonly description: string;
  /** Plain letters and digits of a text must be in the bytes as they are. */
  encode(fields: Readonly<BodyFields>): Uint8Array<ArrayBuffer>;
  /** Returns the fields of a body; undefined if the bytes are not such a body. */
  decode(bytes: Uint8Array): BodyFields | undefined;
}

/** Bodies that are JSON objects. */
export const JSON_BODY: BodyFormat = {
  contentType: "application/json",
  isJson: true,
  description: "a JSON object",
  encode: (fields) => encoder.encode(JSON.stringify(fields)),
  decode(bytes) {
    try {
      const value = JSON.parse(decoder.decode(bytes));
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? value
        : undefined;
    } catch {
      return undefined;
    }
  },
};
