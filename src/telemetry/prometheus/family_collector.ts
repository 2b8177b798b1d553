import type { FamilyMetadata, FamilyType, MetricFamily, MetricSample } from "./exposition.ts";
import { familyTypeOf, type MetadataLine } from "./metadata_line.ts";
import type { SampleLineReader } from "./sample_line.ts";
import { exportedName, type MetadataLookup, sampleRole } from "./sample_role.ts";

/** The metadata of one name, and the first sample that they apply to. */
interface NameMetadata {
  help: string;
  unit: string | null;
  /** TYPE lines with different types, each with the number of samples before it. */
  readonly types: { readonly from: number; readonly type: FamilyType }[];
}

interface CollectedFamily extends MetricFamily {
  readonly samples: MetricSample[];
}

const INFO = "_info";

/**
 * Puts the lines of a page together to families, however the page orders them.
 *
 * A family may come in several blocks, its TYPE line after its samples. If TYPE lines give one name
 * two types, there are two families of that name: each sample belongs to the type that held where
 * it stands, samples before the first TYPE line to the first.
 */
export class FamilyCollector {
  readonly #metadata = new Map<string, NameMetadata>();
  /** Names with a TYPE line, in the order of the page, each with the samples before it. */
  readonly #typed: { readonly name: string; readonly from: number }[] = [];
  readonly #samples: MetricSample[] = [];
  readonly #names = new Set<string>();

  /** The type that the first TYPE line of a name gave it. */
  typeOf(name: string): FamilyType | undefined {
    return this.#metadata.get(name)?.types[0]?.type;
  }

  /** Adds a HELP, TYPE or UNIT line; a TYPE line must have a valid word. */
  addMetadata({ kind, name, text }: MetadataLine): void {
    let metadata = this.#metadata.get(name);
    if (metadata === undefined) {
      metadata = { help: "", unit: null, types: [] };
      this.#metadata.set(name, metadata);
    }
    if (kind === "HELP") {
      if (metadata.help === "") metadata.help = text;
    } else if (kind === "UNIT") {
      metadata.unit ??= text === "" ? null : text;
    } else {
      const type = familyTypeOf(text) ?? "unknown";
      if (metadata.types.at(-1)?.type === type) return;
      metadata.types.push({ from: this.#samples.length, type });
      this.#typed.push({ name, from: this.#samples.length });
    }
  }

  /** Adds the sample that a reader has just read. */
  addSample({ name, labelNames, labelValues, value }: SampleLineReader): void {
    const labels: Record<string, string> = Object.create(null);
    for (const [index, label] of labelNames.entries()) labels[label] = labelValues[index] as string;
    this.#samples.push({ name, labels, value });
    this.#names.add(name);
  }

  /** The families, in the order in which the page mentions them first. */
  families(): MetricFamily[] {
    const families = new Map<string, CollectedFamily>();
    let place = 0;
    const lookup: MetadataLookup = {
      get: (name) => this.#metadataAt(name, place),
      has: (name) => this.#metadata.has(name) || this.#names.has(name),
    };
    let typed = 0;
    for (const sample of this.#samples) {
      for (; this.#typed[typed]?.from === place; typed++) {
        this.#declare(families, this.#typed[typed]?.name as string, lookup);
      }
      const role = sampleRole(sample.name, labelPairs(sample), lookup);
      const isSuffixed = role.type === "info" && lookup.get(sample.name)?.type !== "info";
      const name = isSuffixed ? role.family.slice(0, -INFO.length) : role.family;
      familyOf(families, { ...role, name }).samples.push(sample);
      place++;
    }
    for (; typed < this.#typed.length; typed++) {
      this.#declare(families, this.#typed[typed]?.name as string, lookup);
    }
    return [...families.values()];
  }

  #declare(
    families: Map<string, CollectedFamily>,
    declared: string,
    lookup: MetadataLookup,
  ): void {
    const metadata = lookup.get(declared) as FamilyMetadata;
    const name = exportedName(metadata, lookup);
    familyOf(families, { ...metadata, name, type: metadata.type ?? "unknown" });
  }

  #metadataAt(name: string, place: number): FamilyMetadata | undefined {
    const metadata = this.#metadata.get(name);
    if (metadata === undefined) return undefined;
    const { help, unit, types } = metadata;
    const holding = types.length < 2 ? types[0] : types.findLast(({ from }) => from <= place);
    return { name, type: (holding ?? types[0])?.type ?? null, help, unit };
  }
}

function familyOf(
  families: Map<string, CollectedFamily>,
  { name, type, help, unit }: Omit<MetricFamily, "samples">,
): CollectedFamily {
  const key = `${type} ${name}`;
  const known = families.get(key);
  if (known !== undefined) return known;
  const family = { name, type, help, unit, samples: [] };
  families.set(key, family);
  return family;
}

/** Only the names count for a role, and of these only `quantile`. */
function labelPairs({ labels }: MetricSample): [string, string][] {
  const { quantile } = labels;
  return quantile === undefined ? [] : [["quantile", quantile]];
}
