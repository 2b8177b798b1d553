/** Bodies that a template makes, and where in them it puts what. */

import {
  type BodyPlaceholders,
  bodyPlaceholders,
  type PlaceholderValues,
} from "./body_placeholders.ts";
import { isFields } from "../protocol/delta.ts";
import type { BodySettings, EndpointType, PromptContent } from "../protocol/endpoint_type.ts";

/** Values that no template has itself: where they are in a body, its placeholders were. */
const MARK = "inferometer1f52c07aa93e";
const LIMIT_MARK = 918_273_645;
const SAMPLE_SETTINGS: BodySettings = {
  model: "model",
  streaming: true,
  legacyMaxTokens: false,
  extraInputs: {},
  perChunkUsage: false,
};
const EMPTY: PromptContent = { texts: [], images: [], outputTokens: undefined, extra: {} };
const SAMPLE: PromptContent = {
  texts: [MARK],
  images: [`${MARK}image`],
  outputTokens: LIMIT_MARK,
  extra: {},
};

/**
 * Reads a template.
 * @throws {RangeError} if the template is not valid
 */
export function compiled(text: string): BodyPlaceholders {
  return bodyPlaceholders(text, Object.keys(valuesOf(EMPTY, SAMPLE_SETTINGS)));
}

/** How a template makes bodies. */
export function bodiesOf(fill: BodyPlaceholders): Pick<EndpointType, "buildBody"> {
  return {
    buildBody: (content, settings) => ({
      ...fill(valuesOf(content, settings)),
      ...settings.extraInputs,
      ...content.extra,
    }),
  };
}

/** Returns the values of placeholders. Video is not supported, and there is one turn. */
function valuesOf(content: PromptContent, settings: BodySettings): PlaceholderValues {
  const { texts, images, audios = [] } = content;
  return {
    "text": texts[0] ?? null,
    "texts": texts,
    "image": images[0] ?? null,
    "images": images,
    "audio": audios[0] ?? null,
    "audios": audios,
    "video": null,
    "videos": [],
    "query": texts[0] ?? null,
    "queries": texts.slice(0, 1),
    "passage": texts[1] ?? null,
    "passages": texts.slice(1),
    "model": settings.model,
    "max_tokens": content.outputTokens ?? null,
    "stream": settings.streaming,
    "role": "user",
  };
}

/** A place in a body: names, and a mark for the entries of a list. */
type Place = readonly (string | typeof ENTRY)[];
const ENTRY = Symbol("entry");

/**
 * Where in its bodies a template has texts, images and limits.
 * @throws {RangeError} if what it gives is no JSON object
 */
export function placesOf(
  fill: BodyPlaceholders,
): Pick<EndpointType, "inputTexts" | "countImages" | "outputLimits"> {
  const sample = fill(valuesOf(SAMPLE, SAMPLE_SETTINGS));
  const images = placesWhere(sample, (value) => isText(value) && value.includes(`${MARK}image`));
  const texts = placesWhere(
    sample,
    (value) => isText(value) && value.replaceAll(`${MARK}image`, "").includes(MARK),
  );
  const limits = placesWhere(sample, (value) => Number(value) === LIMIT_MARK);
  const textsAt = (places: readonly Place[], fields: unknown) =>
    places.flatMap((place) => valuesAt(fields, place)).filter(isText);
  return {
    inputTexts: (fields) => textsAt(texts, fields),
    countImages: (fields) => textsAt(images, fields).length,
    outputLimits: (fields) =>
      limits.map((place) => {
        const [value] = valuesAt(fields, place);
        const name = place.map((step) => step === ENTRY ? "[]" : step).join(".");
        return [name, typeof value === "number" ? value : undefined] as const;
      }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Places, each once, of the values that are as asked for. */
function placesWhere(json: unknown, isMeant: (value: unknown) => boolean): Place[] {
  const found = new Map<string, Place>();
  const walk = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) value.forEach((entry) => walk(entry, [...place, ENTRY]));
    else if (isFields(value)) {
      for (const [name, entry] of Object.entries(value)) walk(entry, [...place, name]);
    } else if (isMeant(value)) {
      found.set(JSON.stringify(place.map((step) => step === ENTRY ? 0 : step)), place);
    }
  };
  walk(json, []);
  return [...found.values()];
}

function valuesAt(json: unknown, [step, ...rest]: Place): unknown[] {
  if (step === undefined) return [json];
  if (step === ENTRY) {
    return Array.isArray(json) ? json.flatMap((entry) => valuesAt(entry, rest)) : [];
  }
  return isFields(json) && Object.hasOwn(json, step) ? valuesAt(json[step], rest) : [];
}
