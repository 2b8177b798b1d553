import type { Ajv, ErrorObject, Options, ValidateFunction } from "npm:ajv@8.20.0";
import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";
import { canonicalJson } from "../../../core/files/canonical_json.ts";
import { hasKeyword, STEP_KEYWORD, tameSchema } from "./tame_schema.ts";
import type { TextPattern } from "./text_pattern.ts";
import { UncheckedError } from "./unchecked_error.ts";

/** Longest text whose format is checked: patterns of formats take up to the cube of the length. */
const MAX_FORMAT_LENGTH = 1000;
/** Most references that are followed for a value. */
const MAX_STEPS = 100_000;

/** Decimals of a quotient that decide whether it is an integer. */
const MULTIPLE_DIGITS = 9;

/** Modules of ajv, each with the dialects of some drafts of JSON Schema. */
interface AjvModules {
  readonly create: (draft: Draft, options: Options) => Ajv;
  readonly addFormats: (ajv: Ajv) => void;
}

/** A format as ajv keeps it. */
type AjvFormat = Ajv["formats"][string];

/** A draft of JSON Schema. */
type Draft = "draft-07" | "2019-09" | "2020-12";

/** Where a value does not fit a schema. */
export interface SchemaFlaw {
  /** JSON pointer to the place, with `*` for names that only the value has; empty for all of it. */
  readonly pointer: string;
  /** The pointer with all names. */
  readonly wholePointer: string;
  /** The rule that is broken there. */
  readonly message: string;
}

/** Compiles JSON Schemas of the drafts 06, 07, 2019-09 and 2020-12. */
export class SchemaCompiler {
  readonly #modules: AjvModules;
  readonly #pattern: (source: string) => TextPattern;
  readonly #drafts = new Map<Draft, Ajv>();
  /** References that were followed since the check began. */
  #steps = 0;

  /** @param pattern compiles the patterns of schemas, which match anywhere in a text */
  static async load(pattern: (source: string) => TextPattern): Promise<SchemaCompiler> {
    const [draft07, draft2019, draft2020, formats] = await Promise.all([
      import("npm:ajv@8.20.0"),
      import("npm:ajv@8.20.0/dist/2019.js"),
      import("npm:ajv@8.20.0/dist/2020.js"),
      import("npm:ajv-formats@3.0.1"),
    ]);
    // The default export is the class itself; bundlers keep no names of CommonJS modules.
    const types = {
      "draft-07": draft07.default,
      "2019-09": draft2019.default,
      "2020-12": draft2020.default,
    } as unknown as Readonly<Record<Draft, new (options: Options) => Ajv>>;
    const addFormats = formats.default as unknown as AjvModules["addFormats"];
    return new SchemaCompiler({
      create: (draft, options) => new types[draft](options),
      addFormats,
    }, pattern);
  }

  private constructor(modules: AjvModules, pattern: (source: string) => TextPattern) {
    this.#modules = modules;
    this.#pattern = pattern;
  }

  /**
   * Compiles a schema.
   * @returns what finds the place where a value does not fit; undefined if it fits
   * @throws {Error} if the schema cannot be compiled; the check throws {@linkcode UncheckedError}
   */
  compile(schema: unknown): (value: unknown) => SchemaFlaw | undefined {
    const ajv = this.#ajvOf(draftOf(schema));
    const tame = tameSchema(schema);
    if (typeof tame !== "boolean" && (typeof tame !== "object" || tame === null)) {
      throw new Error("schema must be an object");
    }
    let validate: ValidateFunction;
    try {
      validate = ajv.compile(tame);
    } finally {
      if (typeof tame !== "boolean") ajv.removeSchema(tame);
    }
    const schemaText = JSON.stringify(schema);
    return (value) => {
      this.#steps = 0;
      return validate(value) ? undefined : flawOf(validate.errors ?? [], schemaText);
    };
  }

  /** Lets go what ajv keeps of the schemas that were compiled. */
  forget(): void {
    this.#drafts.clear();
  }

  #ajvOf(draft: Draft): Ajv {
    const known = this.#drafts.get(draft);
    if (known !== undefined) return known;
    const ajv = this.#modules.create(draft, {
      strict: false,
      // Only what a check needs is looked at: servers accept schemas that their drafts do not allow.
      validateSchema: false,
      logger: false,
      // 0.3 is a multiple of 0.1, which no binary fraction equals.
      multipleOfPrecision: MULTIPLE_DIGITS,
      code: { regExp: Object.assign(this.#pattern, { code: "pattern" }) },
    });
    this.#modules.addFormats(ajv);
    for (const [name, format] of Object.entries(ajv.formats)) {
      ajv.formats[name] = limited(format);
    }
    ajv.removeKeyword("uniqueItems");
    // Ajv's own compares each item with each other one.
    ajv.addKeyword({ keyword: "uniqueItems", type: "array", validate: areUnique, errors: false });
    ajv.addKeyword({
      keyword: STEP_KEYWORD,
      // A reference is counted before it is followed: these are the first keywords of each draft.
      before: draft === "draft-07" ? "$ref" : "$dynamicAnchor",
      validate: () => {
        if (++this.#steps > MAX_STEPS) throw new UncheckedError("the schema takes too many steps");
        return true;
      },
      errors: false,
    });
    this.#drafts.set(draft, ajv);
    return ajv;
  }
}

/** The draft that a schema names; else the newest one, unless it has tuples as drafts before had. */
function draftOf(schema: unknown): Draft {
  const named = isFields(schema) ? schema["$schema"] : undefined;
  if (typeof named === "string") {
    if (/draft-0[4-7]/.test(named)) return "draft-07";
    if (named.includes("2019-09")) return "2019-09";
    if (named.includes("2020-12")) return "2020-12";
  }
  const isOld = hasKeyword(schema, (name, value) => name === "items" && Array.isArray(value));
  return isOld ? "draft-07" : "2020-12";
}

/** The flaw at the deepest place: of alternatives, the one that fits best. */
function flawOf(errors: readonly ErrorObject[], schemaText: string): SchemaFlaw {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split("/").length;
  const deepest = errors.reduce((one, next) => depth(next) > depth(one) ? next : one);
  return {
    pointer: shownPointer(deepest.instancePath, schemaText),
    wholePointer: deepest.instancePath,
    // Patterns may be as long as a prompt.
    message: deepest.keyword === "pattern" || deepest.message === undefined
      ? `must fit the keyword ${deepest.keyword}`
      : deepest.message,
  };
}

/** A pointer in which an asterisk stands for names that the reply, not the schema, has chosen. */
function shownPointer(pointer: string, schemaText: string): string {
  return pointer.split("/").map((part) => {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d*$/.test(part) || schemaText.includes(JSON.stringify(name)) ? part : "*";
  }).join("/");
}

function limited(format: AjvFormat): AjvFormat {
  if (format instanceof RegExp) {
    return (text: string) => text.length > MAX_FORMAT_LENGTH || format.test(text);
  }
  if (typeof format === "function") {
    return (text: string) => text.length > MAX_FORMAT_LENGTH || format(text);
  }
  if (typeof format !== "object" || format.type === "number" || format.async) return format;
  const { validate } = format;
  const fits = validate instanceof RegExp
    ? (text: string) => validate.test(text)
    : validate as (text: string) => boolean;
  return (text: string) => text.length > MAX_FORMAT_LENGTH || fits(text);
}

/** Whether no two items are equal. */
function areUnique(isAsked: boolean, items: readonly unknown[]): boolean {
  return !isAsked || new Set(items.map(canonicalJson)).size === items.length;
}
