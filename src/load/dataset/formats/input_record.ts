import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "npm:jsonc-parser@3.3.1";
import type * as z from "npm:zod@4.6.7";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { withExactNumbers } from "./exact_numbers.ts";
import type { UnreadFields } from "./unread_fields.ts";
import { withoutNulls } from "./without_nulls.ts";

/** The place where a record begins in its file. */
export interface RecordPlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1; behind other records of the same line it counts bytes. */
  readonly column: number;
}

/** The piece of a JSON value that an error is about: names of fields and indices of elements. */
export type JsonPath = readonly (string | number)[];

/** One record of an input file: its text, and where it stands, for messages. */
export class InputRecord {
  readonly text: string;
  readonly place: RecordPlace;
  readonly #unread: UnreadFields | undefined;
  #value: unknown;
  #isParsed = false;

  /** @param unread counts the fields that a schema does not have, when the record is parsed */
  constructor(text: string, place: RecordPlace, unread?: UnreadFields) {
    this.#unread = unread;
    this.text = text;
    this.place = place;
  }

  /**
   * Parsed content of the record.
   * @throws {DatasetError} if it is not JSON
   */
  get json(): unknown {
    if (this.#isParsed) return this.#value;
    try {
      this.#value = JSON.parse(this.text);
    } catch {
      throw this.#notJson();
    }
    this.#isParsed = true;
    return this.#value;
  }

  /**
   * Returns the validated content without its nulls; the parts that are sent keep all digits of
   * their numbers.
   * @throws {DatasetError} if it is not JSON, or not of this shape
   */
  parsed<T>(schema: z.ZodType<T>): T {
    const value = withoutNulls(withExactNumbers(this.json, this.text));
    const result = schema.safeParse(value);
    if (result.success) {
      this.#unread?.addRow(value, schema);
      return result.data;
    }
    const [issue] = result.error.issues;
    const path = (issue?.path ?? []) as JsonPath;
    throw this.error(issue?.message ?? result.error.message, path);
  }

  /** Returns an error for the record, or for the piece of it that `path` leads to. */
  error(message: string, path: JsonPath = []): DatasetError {
    return this.#at(
      this.#offsetOf(path),
      path.length === 0 ? message : `${path.join(".")}: ${message}`,
    );
  }

  /** Offset of a piece; of what holds it where it is missing. */
  #offsetOf(path: JsonPath): number {
    const root = treeOf(this.text);
    if (root === undefined) return 0;
    for (let length = path.length; length > 0; length--) {
      const node = findNodeAtLocation(root, path.slice(0, length));
      if (node !== undefined) return node.offset;
    }
    return root.offset;
  }

  #notJson(): DatasetError {
    const errors: ParseError[] = [];
    treeOf(this.text, errors);
    const [first] = errors;
    if (first === undefined) return this.#at(0, "Not valid JSON");
    const what = printParseErrorCode(first.error)
      .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
    return this.#at(first.offset, `Not valid JSON: ${what}`);
  }

  #at(offset: number, message: string): DatasetError {
    const { path, line, column } = this.place;
    const before = this.text.slice(0, offset);
    const breaks = before.split("\n").length - 1;
    return new DatasetError(
      path,
      line + breaks,
      message,
      breaks === 0 ? column + offset : offset - before.lastIndexOf("\n"),
    );
  }
}

/**
 * Returns the pieces of a text with their offsets; undefined if they are nested too deeply to be
 * parsed.
 */
function treeOf(text: string, errors?: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
