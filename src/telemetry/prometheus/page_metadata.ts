import { ExpositionLimitError } from "./exposition_limit_error.ts";
import type { FamilyMetadata, FamilyType } from "./exposition.ts";
import {
  familyTypeOf,
  type MetadataFault,
  type MetadataLine,
  readMetadataLine,
} from "./metadata_line.ts";
import { ownCopy } from "./own_copy.ts";
import { quoted } from "./quoted.ts";
import type { KnownText } from "./series_registry.ts";

/** A metadata line that a page is expected to hold again. */
interface KnownMetadata extends KnownText {
  readonly line: MetadataLine;
}

/** A TYPE line that contradicts an earlier one. */
export interface TypeClash {
  readonly line: number;
  readonly message: string;
}

/** Lines that are looked at in one step. */
const STEP_LINES = 2000;
/** Longest line remembered. */
const MAX_KNOWN_LENGTH = 8192;

/**
 * The metadata of a page: its HELP, TYPE and UNIT lines, re-read only if they changed.
 *
 * The first TYPE of a name wins, so does its first HELP. A counter `x_total` next to samples `x`
 * without any TYPE gives `x` an entry without a type, so that code which shortens the counter's
 * name sees that the short one is taken.
 */
export class PageMetadata {
  readonly #maxLines: number;
  #families: ReadonlyMap<string, FamilyMetadata> = new Map();
  #version = 0;
  #openMetrics = false;
  #known = new Map<string, KnownMetadata>();
  /** Metadata lines of the page before. */
  #last: KnownMetadata[] = [];
  #current: KnownMetadata[] = [];
  /** The number of each line of the current page. */
  #lines: number[] = [];
  #clashes: readonly { readonly index: number; readonly message: string }[] = [];
  #knownNames = 0;

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  /** The metadata of each name. */
  get families(): ReadonlyMap<string, FamilyMetadata> {
    return this.#families;
  }

  /** Changes with the families. */
  get version(): number {
    return this.#version;
  }

  /** Begins a page. */
  start(openMetrics: boolean): void {
    if (openMetrics !== this.#openMetrics) this.#known = new Map();
    this.#openMetrics = openMetrics;
    this.#current = [];
    this.#lines = [];
  }

  /** Reads a line that starts with `#`; `undefined` for a comment. */
  read(line: string): KnownText | MetadataFault | undefined {
    const text = ownCopy(line);
    // Looked up first: the engine makes the text that a map is asked for the one that it keeps, and
    // what is cut from it before would keep the other one.
    const known = text.length <= MAX_KNOWN_LENGTH ? this.#known.get(text) : undefined;
    if (known !== undefined) return known;
    const read = readMetadataLine(text, this.#openMetrics);
    if (read === undefined || read.kind === "fault") return read;
    if (read.kind === "TYPE" && familyTypeOf(read.text) === undefined) {
      return { kind: "fault", at: read.textAt, message: unknownType(read.text) };
    }
    const entry: KnownMetadata = { text, id: -1, place: 0, line: read };
    if (text.length <= MAX_KNOWN_LENGTH) this.#known.set(text, entry);
    return entry;
  }

  /**
   * Adds a line of the page.
   * @throws {ExpositionLimitError} if there are too many
   */
  add(known: KnownText, line: number): void {
    if (this.#current.length === this.#maxLines) {
      throw new ExpositionLimitError(`The page has more than ${this.#maxLines} metadata lines`);
    }
    this.#current.push(known as KnownMetadata);
    this.#lines.push(line);
  }

  /**
   * Ends the page, step by step.
   * @param names names that samples have had
   * @returns TYPE lines that contradict earlier ones
   */
  *ending(names: ReadonlySet<string>): Generator<void, TypeClash[]> {
    if (names.size !== this.#knownNames || !this.#isUnchanged()) yield* this.#rebuild(names);
    this.#knownNames = names.size;
    this.#last = this.#current;
    this.#current = [];
    return this.#clashes.map(({ index, message }) => ({
      line: this.#lines[index] as number,
      message,
    }));
  }

  #isUnchanged(): boolean {
    if (this.#current.length !== this.#last.length) return false;
    return this.#current.every((known, index) => known === this.#last[index]);
  }

  *#rebuild(names: ReadonlySet<string>): Generator<void> {
    const families = new Map<string, FamilyMetadata>();
    const known = new Map<string, KnownMetadata>();
    const clashes: { readonly index: number; readonly message: string }[] = [];
    for (const [index, entry] of this.#current.entries()) {
      if (index % STEP_LINES === STEP_LINES - 1) yield;
      if (entry.text.length <= MAX_KNOWN_LENGTH) known.set(entry.text, entry);
      const { kind, name, text } = entry.line;
      const before = families.get(name) ?? { name, type: null, help: "", unit: null };
      if (kind === "HELP") {
        families.set(name, before.help === "" ? { ...before, help: text } : before);
      } else if (kind === "UNIT") {
        families.set(name, { ...before, unit: before.unit ?? (text === "" ? null : text) });
      } else {
        const type = familyTypeOf(text) as FamilyType;
        families.set(name, { ...before, type: before.type ?? type });
        if (before.type !== null && before.type !== type) {
          const message = `A second TYPE says ${type}, the first said ${before.type}`;
          clashes.push({ index, message });
        }
      }
    }
    for (const { name, type } of [...families.values()]) {
      if (type !== "counter" || !name.endsWith("_total")) continue;
      const short = name.slice(0, -"_total".length);
      if (!families.has(short) && names.has(short)) {
        families.set(short, { name: short, type: null, help: "", unit: null });
      }
    }
    this.#known = known;
    this.#clashes = clashes;
    if (sameFamilies(families, this.#families)) return;
    this.#families = families;
    this.#version++;
  }
}

/** The reason why a TYPE line's word is refused. */
export function unknownType(word: string): string {
  return word === ""
    ? "Expected a type, found the end of the line"
    : `Expected a type, found ${quoted(word)}`;
}

function sameFamilies(
  one: ReadonlyMap<string, FamilyMetadata>,
  other: ReadonlyMap<string, FamilyMetadata>,
): boolean {
  if (one.size !== other.size) return false;
  for (const [name, { type, help, unit }] of one) {
    const same = other.get(name);
    if (same === undefined || same.type !== type || same.help !== help || same.unit !== unit) {
      return false;
    }
  }
  return true;
}
