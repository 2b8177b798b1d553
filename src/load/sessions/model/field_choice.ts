import { withoutNulls } from "./checked_record.ts";

const encoder = new TextEncoder();

/** Elements of a list that are taken: objects of which a field has a text. */
export interface ElementChoice {
  readonly field: string;
  readonly text: string;
}

/**
 * The fields of a row that are needed, with `true` for a whole value or a choice of its own fields. A
 * choice of a list holds for each element.
 */
export class FieldChoice {
  readonly names: readonly string[];
  /** Choice for the value of each name; undefined for whole values. */
  readonly choices: readonly (FieldChoice | undefined)[];
  /** Elements of a list that are taken; undefined for all. */
  readonly only: ElementChoice | undefined;
  readonly #bytes: readonly Uint8Array[];
  /** Numbers of the names by their lengths. */
  readonly #byLength: number[][] = [];

  /**
   * @param fields names in ASCII
   * @param only elements of a list that are taken
   */
  constructor(fields: Readonly<Record<string, true | FieldChoice>>, only?: ElementChoice) {
    this.names = Object.keys(fields);
    this.choices = Object.values(fields).map((choice) => choice === true ? undefined : choice);
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
      const choice = this.choices[number];
      taken[name] = (choice === undefined ? withoutNulls(field) : choice.of(field)) ?? undefined;
    });
    return taken;
  }
}

function isTaken(element: unknown, { field, text }: ElementChoice): boolean {
  return typeof element === "object" && element !== null && !Array.isArray(element) &&
    Object.hasOwn(element, field) && (element as Record<string, unknown>)[field] === text;
}
