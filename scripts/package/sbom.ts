import { createHash } from "node:crypto";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import type { BundledPackage } from "../compile/bundle.ts";
import { debianPins } from "./debian_files.ts";
import { type PackageSource, PRODUCT } from "./product.ts";

/** Data of others that is in the executable. */
const EMBEDDED_DATA = [
  { name: "o200k_base", license: "MIT", description: "vocabulary of the builtin tokenizer" },
  { name: "DejaVu Sans", license: "Bitstream-Vera", description: "glyphs of pictures" },
] as const;

/** What a bill of materials lists. */
export interface Materials {
  /** Code of others in the executable. */
  readonly packages: readonly BundledPackage[];
  /** Version of the runtime in the executable. */
  readonly denoVersion: string;
}

/** Name of the bill's file. */
export function sbomName(version: string): string {
  return `${PRODUCT.name}-${version}.cdx.json`;
}

/**
 * The bill of materials, as CycloneDX 1.6 JSON: what is in the executable, and what the container
 * image has besides.
 */
export function sbom({ stamp }: PackageSource, { packages, denoVersion }: Materials): string {
  const bom = new Models.Bom({ serialNumber: serialNumber(stamp.commit) });
  bom.metadata.timestamp = new Date(stamp.date);
  const main = new Models.Component(Enums.ComponentType.Application, PRODUCT.name, {
    version: stamp.version,
    bomRef: PRODUCT.name,
    purl: `pkg:github/inferometer/inferometer@v${stamp.version}`,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense(PRODUCT.license)]),
  });
  bom.metadata.component = main;
  const add = (component: Models.Component, license: string | undefined) => {
    if (license !== undefined) component.licenses.add(licenseOf(license));
    bom.components.add(component);
    main.dependencies.add(component.bomRef);
  };
  const deno = `pkg:github/denoland/deno@v${denoVersion}`;
  add(
    new Models.Component(Enums.ComponentType.Platform, "deno", {
      ...{ version: denoVersion, bomRef: deno, purl: deno },
    }),
    "MIT",
  );
  for (const { name, version, license } of packages) {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const [, group, plain = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
    const component = new Models.Component(Enums.ComponentType.Library, plain, {
      ...{ version, bomRef: purl, purl },
      ...(group === undefined ? {} : { group }),
    });
    add(component, license);
  }
  for (const { name, license, description } of EMBEDDED_DATA) {
    const options = { bomRef: name, description };
    add(new Models.Component(Enums.ComponentType.Data, name, options), license);
  }
  const image = new Models.Component(Enums.ComponentType.Container, `${PRODUCT.name}-image`, {
    ...{ version: stamp.version, bomRef: "image" },
  });
  for (const architecture of ["amd64", "arm64"] as const) {
    for (const { name, version, sha256 } of debianPins(architecture)) {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
      const component = new Models.Component(Enums.ComponentType.Library, name, {
        ...{ version, bomRef: purl, purl },
        hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
      });
      bom.components.add(component);
      image.dependencies.add(component.bomRef);
    }
  }
  image.dependencies.add(main.bomRef);
  bom.components.add(image);
  const serializer = new Serialize.JsonSerializer(
    new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6),
  );
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function licenseOf(license: string): Models.License {
  return /\s/.test(license)
    ? new Models.LicenseExpression(license)
    : new Models.SpdxLicense(license);
}

/** A number that follows from the commit: the same sources have the same bill. */
function serialNumber(commit: string): string {
  const hex = createHash("sha256").update(commit).digest("hex");
  const variant = (8 + parseInt(hex[16] as string, 16) % 4).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-` +
    `${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
