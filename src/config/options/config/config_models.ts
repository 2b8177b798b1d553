/** Fields that a model may have; adapters are separate models to a server. */
const FIELDS: ReadonlySet<string> = new Set(["name", "weight"]);

/**
 * Returns the options for an entry with models: names, or mappings with `name` and `weight`, as a
 * list or as `items` of a mapping with `strategy`, which is how AIPerf's files have them.
 * @returns undefined for a list of only names, which the option itself accepts
 * @throws {RangeError} if it is none of these
 */
export function modelOptions(value: unknown): Record<string, unknown> | undefined {
  const { strategy, items, ...rest } = isMapping(value) && value["items"] !== undefined
    ? value
    : { strategy: undefined, items: value };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new RangeError(`Models have no "${unknown}"`);
  const list = Array.isArray(items) ? items : [items];
  if (strategy === undefined && !list.some(isMapping)) return undefined;
  const models = list.map(modelOf);
  const weights = models.map(({ weight }) => weight);
  const isWeighted = weights.some((weight) => weight !== undefined);
  if (isWeighted && weights.includes(undefined)) {
    throw new RangeError("Either all models have a weight, or none");
  }
  if (strategy !== undefined && typeof strategy !== "string") {
    throw new RangeError("The strategy of models is a word");
  }
  const chosen = strategy?.replaceAll("_", "-") ?? (isWeighted ? "weighted" : undefined);
  return {
    "model": models.map(({ name }) => name),
    ...(chosen === undefined ? {} : { "modelSelectionStrategy": chosen }),
    // Other strategies have no use for weights, which AIPerf's files may have all the same.
    ...(isWeighted && chosen === "weighted" ? { "modelWeights": weights.map(String) } : {}),
  };
}

function modelOf(entry: unknown): { readonly name: string; readonly weight: number | undefined } {
  if (typeof entry === "string" && entry !== "") return { name: entry, weight: undefined };
  if (!isMapping(entry) || typeof entry["name"] !== "string" || entry["name"] === "") {
    throw new RangeError("A model is a name, or a mapping with name and weight");
  }
  const unknown = Object.keys(entry).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw new RangeError(`A model has no "${unknown}" here`);
  const weight = entry["weight"];
  if (weight !== undefined && !(typeof weight === "number" && weight >= 0)) {
    throw new RangeError(`The weight of ${entry["name"]} is a number, none below 0`);
  }
  return { name: entry["name"], weight };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
