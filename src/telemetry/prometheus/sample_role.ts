import type { FamilyMetadata, FamilyType } from "./exposition.ts";
import type { SampleSeries } from "./exposition.ts";

/** Role of a sample within its family. */
export interface SampleRole {
  /**
   * The family's name as exports have it, the same for both formats: counters lose `_total`, unless
   * the page gives the short name to another family; an info metric keeps `_info`.
   */
  readonly family: string;
  /** The family's type. */
  readonly type: FamilyType;
  /** Meaning of the sample's value. */
  readonly role: "value" | "bucket" | "sum" | "count" | "quantile" | "created" | "info";
  /** The family's HELP text. */
  readonly help: string;
  /** The family's unit. */
  readonly unit: string | null;
}

/** Lookup of a name's metadata: a page's, or that of a place in a page. */
export type MetadataLookup = Pick<ReadonlyMap<string, FamilyMetadata>, "get" | "has">;

/** Suffixes by which samples belong to a family of another name, and the types they go with. */
const SUFFIXES: readonly (readonly [
  suffix: string,
  role: SampleRole["role"],
  types: readonly FamilyType[],
])[] = [
  ["_total", "value", ["counter"]],
  ["_bucket", "bucket", ["histogram", "gaugehistogram"]],
  ["_sum", "sum", ["histogram", "summary", "gaugehistogram"]],
  ["_count", "count", ["histogram", "summary", "gaugehistogram"]],
  ["_gsum", "sum", ["gaugehistogram"]],
  ["_gcount", "count", ["gaugehistogram"]],
  ["_created", "created", ["counter", "histogram", "summary", "gaugehistogram"]],
  ["_info", "info", ["info"]],
];
const TOTAL = "_total";

/**
 * Finds the family of a sample and the sample's role in it.
 *
 * A TYPE line for the sample's own name takes precedence over one for the name without a suffix: a
 * gauge called `x_count` is no part of a histogram `x`. A bare sample `h` next to a histogram `h`
 * is an unknown of that name. Where two TYPE lines give one name two types, the first holds (see
 * {@linkcode parseExposition} for both). Where a gauge `x` and a counter `x_total` are on one page,
 * the counter keeps its full name, so that both are kept.
 */
export function sampleRole(
  sampleName: string,
  labels: SampleSeries["labels"],
  metadata: MetadataLookup,
): SampleRole {
  const own = metadata.get(sampleName);
  if (own !== undefined && own.type !== null) return ownRole(own, own.type, labels, metadata);
  for (const [suffix, role, types] of SUFFIXES) {
    if (sampleName.length <= suffix.length || !sampleName.endsWith(suffix)) continue;
    const found = metadata.get(sampleName.slice(0, -suffix.length));
    if (found === undefined || found.type === null || !types.includes(found.type)) continue;
    const family = role === "info" ? sampleName : exportedName(found, metadata);
    return { family, type: found.type, role, help: found.help, unit: found.unit };
  }
  return {
    family: sampleName,
    type: "unknown",
    role: "value",
    help: own?.help ?? "",
    unit: own?.unit ?? null,
  };
}

/** The role of a sample that has the family's own name. */
function ownRole(
  own: FamilyMetadata,
  type: FamilyType,
  labels: SampleSeries["labels"],
  metadata: MetadataLookup,
): SampleRole {
  const { name, help, unit } = own;
  switch (type) {
    case "histogram":
    case "gaugehistogram":
      return { family: name, type: "unknown", role: "value", help, unit };
    case "summary": {
      const role = labels.some(([label]) => label === "quantile") ? "quantile" : "value";
      return { family: name, type, role, help, unit };
    }
    case "info":
      return { family: name, type, role: "info", help, unit };
    default:
      return { family: exportedName(own, metadata), type, role: "value", help, unit };
  }
}

/** The name without a counter's `_total`, unless another family has the short name. */
export function exportedName(
  family: FamilyMetadata,
  metadata: MetadataLookup,
): string {
  const { name, type } = family;
  if (type !== "counter" || name.length <= TOTAL.length || !name.endsWith(TOTAL)) return name;
  const short = name.slice(0, -TOTAL.length);
  return metadata.has(short) ? name : short;
}
