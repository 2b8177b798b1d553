import type { FamilyMetadata, FamilyType, SampleSeries } from "./exposition.ts";
import { exportedName, sampleRole } from "./sample_role.ts";

/** A family by its name, as exports have it. */
export interface PageFamily {
  readonly name: string;
  readonly type: FamilyType;
  /** Whether the family has samples in addition to metadata lines. */
  readonly hasSamples: boolean;
}

/** The families of a page: of its samples, and of its TYPE lines. */
export function pageFamilies(
  series: Iterable<SampleSeries>,
  metadata: ReadonlyMap<string, FamilyMetadata>,
): PageFamily[] {
  const families = new Map<string, PageFamily>();
  for (const { name, labels } of series) {
    const { family, type, role } = sampleRole(name, labels, metadata);
    if (role !== "created") families.set(family, { name: family, type, hasSamples: true });
  }
  for (const family of metadata.values()) {
    const name = exportedName(family, metadata);
    if (family.type === null || families.has(name)) continue;
    families.set(name, { name, type: family.type, hasSamples: false });
  }
  return [...families.values()];
}
