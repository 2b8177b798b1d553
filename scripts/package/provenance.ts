import type { Compiler } from "../compile/compile_executable.ts";
import { type PackageSource, PRODUCT } from "./product.ts";

/** Name of the statement's file. */
export function provenanceName(version: string): string {
  return `${PRODUCT.name}-${version}.provenance.json`;
}

/** A file and its SHA-256. */
export type Checksum = readonly [name: string, sha256: string];

/**
 * What the files were made of, as an in-toto statement with SLSA's provenance (slsa.dev/provenance/v1).
 * It says what anyone can repeat; the release workflow signs one of its own.
 * @param files what was made
 * @param materials what went into it besides the commit
 */
export function provenance(
  { stamp }: PackageSource,
  compiler: Pick<Compiler, "version">,
  files: readonly Checksum[],
  materials: readonly Checksum[],
): string {
  const statement = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": files.map(([name, sha256]) => ({ "name": name, "digest": { "sha256": sha256 } })),
    "predicateType": "https://slsa.dev/provenance/v1",
    "predicate": {
      "buildDefinition": {
        "buildType": `${PRODUCT.homepage}/blob/v${stamp.version}/scripts/package.ts`,
        "externalParameters": { "version": stamp.version },
        "internalParameters": { "deno": compiler.version, "SOURCE_DATE_EPOCH": stamp.date },
        "resolvedDependencies": [
          {
            "uri": `git+${PRODUCT.homepage}`,
            "digest": { "gitCommit": stamp.commit.replace(/-modified$/, "") },
            ...(stamp.commit.endsWith("-modified") ? { "annotations": { "modified": true } } : {}),
          },
          ...materials.map(([uri, sha256]) => ({ "uri": uri, "digest": { "sha256": sha256 } })),
        ],
      },
      "runDetails": {
        "builder": { "id": `${PRODUCT.homepage}/blob/v${stamp.version}/scripts/package.ts` },
        "metadata": { "startedOn": stamp.date },
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
