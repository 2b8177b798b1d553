import { withoutNulls } from "./checked_record.ts";

const encoder = new TextEncoder();

/** Elements of a list that are taken: objects of which a field has a text. */
export interface ElementChoice {
  readonly field: string;
  readonly text: string;
}

/** Makes a value of a text, where one is needed instead of the text: no text has to be made for it. */
export interface TextReader {
  /** Returns the value of a text. */
  of(text: string): unknown;
  /** Returns the value of a text without escapes in bytes; undefined to have it made by `of`. */
  ofBytes(bytes: Uint8Array, start: number, end: number): unknown;
}

/**
 * The fields of a row that are needed, with `true` for a whole value, a choice of its own fields, or what
 * reads a text. A choice of a list holds for each element.
 */
export class FieldChoice {
  readonly names: readonly string[];
  /** Choice for the value of each name; undefined for others. */
  readonly choices: readonly (FieldChoice | undefined)[];
  /** Reader for the text of each name; undefined for others. */
  readonly readers: readonly (TextReader | undefined)[];
  /** Elements of a list that are taken; undefined for all. */
  readonly only: ElementChoice | undefined;
  readonly #bytes: readonly Uint8Array[];
  /** Numbers of the names by their lengths. */
  readonly #byLength: number[][] = [];

  /**
   * @param fields names in ASCII
   * @param only elements of a list that are taken
   */
  constructor(
    fields: Readonly<Record<string, true | FieldChoice | TextReader>>,
    only?: ElementChoice,
  ) {
    this.names = Object.keys(fields);
    const all = Object.values(fields);
    this.choices = all.map((one) => one instanceof FieldChoice ? one : undefined);
    this.readers = all.map((one) => one === true || one instanceof FieldChoice ? undefined : one);
    this.only = only;
    this.#bytes = this.names.map((name) => encoder.encode(name));
    const most = this.#bytes.reduce((most, { length }) => Math.max(most, length), 0);
    this.#byLength = Array.from({ length: most + 1 }, () => []);
    this.#bytes.forEach(({ length }, number) => this.#byLength[length]?.push(number));
  }

  /** Returns the number of a name that lies in bytes without escapes; -1 if it is not needed. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    const numbers = this.#byLength[end - start];
    if (numbers === undefined) return -1;
    for (const number of numbers) {
      const name = this.#bytes[number] as Uint8Array;
      let same = 0;
      while (same < name.length && bytes[start + same] === name[same]) same++;
      if (same === name.length) return number;
    }
    return -1;
  }

  /** Returns the needed part of a value; a field that is null is undefined. */
  of(value: unknown): unknown {
    const { only } = this;
    if (Array.isArray(value)) {
      const elements = value.map((element) => this.of(element));
      return only === undefined
        ? elements
        : elements.filter((_, place) => isTaken(value[place], only));
    }
    if (typeof value !== "object" || value === null) return value;
    const taken: Record<string, unknown> = {};
    this.names.forEach((name, number) => {
      if (!Object.hasOwn(value, name)) return;
      const field = (value as Record<string, unknown>)[name];
      taken[name] = this.#taken(field, number) ?? undefined;
    });
    return taken;
  }

  #taken(field: unknown, number: number): unknown {
    const reader = this.readers[number];
    if (reader !== undefined && typeof field === "string") return reader.of(field);
    const choice = this.choices[number];
    return choice === undefined ? withoutNulls(field) : choice.of(field);
  }
}

function isTaken(element: unknown, { field, text }: ElementChoice): boolean {
  return typeof element === "object" && element !== null && !Array.isArray(element) &&
    Object.hasOwn(element, field) && (element as Record<string, unknown>)[field] === text;
}
