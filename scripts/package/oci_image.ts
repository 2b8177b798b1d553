import { createHash } from "node:crypto";
import { reproducibleGzip } from "../compile/reproducible_gzip.ts";
import type { CompileTarget } from "../compile/targets.ts";
import { type ArchiveEntry, folderEntry, foldersOf, textEntry } from "../release/archive_entry.ts";
import { tarArchive } from "../release/tar_archive.ts";
import { DEBIAN_ARCHITECTURES } from "./deb.ts";
import { debianFiles, debianPins, fetchDebian } from "./debian_files.ts";
import { epochSecondsOf, type PackageSource, PRODUCT } from "./product.ts";

/** The user that the program runs as, as in other images without a shell. */
const USER = 65532;
/** What the executable is linked with. */
const LIBRARIES =
  /^lib\/[^/]+\/(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|libresolv\.so\.2|libnss_dns\.so\.2|libnss_files\.so\.2|libgcc_s\.so\.1)$/;
/** The loader, and where programs look for it. */
const LOADERS = {
  "amd64": ["lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2"],
  "arm64": ["lib/aarch64-linux-gnu/ld-linux-aarch64.so.1", "lib/ld-linux-aarch64.so.1"],
} as const;
const LICENSES = /^usr\/share\/doc\/(libc6|ca-certificates)\/copyright$/;
const CERTIFICATE = /^usr\/share\/ca-certificates\/mozilla\/.*\.crt$/;

const MEDIA = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

/** Name of the image's file. */
export function imageName(version: string): string {
  return `${PRODUCT.name}-${version}-oci.tar`;
}

/** A blob of an image, and how others refer to it. */
interface Blob {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/**
 * An image in the OCI layout, as one tar archive: the executable and what it is linked with, and
 * certificates; no shell, no packages. The same files give the same bytes.
 * @param programs executables of the targets that run Linux
 * @param cache folder for what is fetched of Debian
 */
export async function ociImage(
  programs: readonly (readonly [CompileTarget, Uint8Array])[],
  source: PackageSource,
  cache: string,
): Promise<Uint8Array> {
  const { stamp } = source;
  const epoch = epochSecondsOf(source);
  const blobs = new Blobs();
  const manifests = [];
  for (const [target, program] of programs) {
    manifests.push(await platformManifest(blobs, target, program, source, cache));
  }
  const index = blobs.addJson({
    "schemaVersion": 2,
    "mediaType": MEDIA.index,
    "manifests": manifests,
    "annotations": annotationsOf(source),
  });
  return tarArchive([
    textEntry("oci-layout", JSON.stringify({ "imageLayoutVersion": "1.0.0" })),
    textEntry(
      "index.json",
      JSON.stringify({
        "schemaVersion": 2,
        "mediaType": MEDIA.index,
        "manifests": [{
          ...descriptor(MEDIA.index, index),
          "annotations": {
            "org.opencontainers.image.ref.name": stamp.version,
            "io.containerd.image.name": `ghcr.io/${PRODUCT.name}/${PRODUCT.name}:${stamp.version}`,
          },
        }],
      }),
    ),
    folderEntry("blobs"),
    folderEntry("blobs/sha256"),
    ...blobs.entries(),
  ], epoch);
}

/** The blobs of an image, each once. */
class Blobs {
  readonly #bytes = new Map<string, Uint8Array>();

  add(bytes: Uint8Array): Blob {
    const digest = sha256(bytes);
    this.#bytes.set(digest, bytes);
    return { digest: `sha256:${digest}`, bytes };
  }

  addJson(value: object): Blob {
    return this.add(new TextEncoder().encode(JSON.stringify(value)));
  }

  entries(): ArchiveEntry[] {
    return [...this.#bytes].sort(([a], [b]) => a < b ? -1 : 1).map(([digest, bytes]) => ({
      ...{ path: `blobs/sha256/${digest}`, bytes, isExecutable: false },
    }));
  }
}

/** Adds the blobs of one platform; what the index says of it. */
async function platformManifest(
  blobs: Blobs,
  { arch }: CompileTarget,
  program: Uint8Array,
  source: PackageSource,
  cache: string,
) {
  const { stamp } = source;
  const epoch = epochSecondsOf(source);
  const annotations = annotationsOf(source);
  const architecture = DEBIAN_ARCHITECTURES[arch];
  const layers = [
    tarArchive(await baseEntries(architecture, cache), epoch),
    tarArchive([
      folderEntry("usr"),
      folderEntry("usr/local"),
      folderEntry("usr/local/bin"),
      { path: `usr/local/bin/${PRODUCT.name}`, bytes: program, isExecutable: true },
    ], epoch),
  ];
  const packed = layers.map((layer) => blobs.add(reproducibleGzip(layer)));
  const config = blobs.addJson({
    "created": stamp.date,
    "architecture": architecture,
    "os": "linux",
    "config": {
      "User": `${USER}:${USER}`,
      "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/nonroot"],
      "Entrypoint": [`/usr/local/bin/${PRODUCT.name}`],
      "Cmd": ["--help"],
      "WorkingDir": "/work",
      "Labels": annotations,
    },
    "rootfs": { "type": "layers", "diff_ids": layers.map((layer) => `sha256:${sha256(layer)}`) },
    "history": [
      { "created": stamp.date, "comment": "libraries and certificates of Debian 12" },
      { "created": stamp.date, "comment": `${PRODUCT.name} ${stamp.version}` },
    ],
  });
  const manifest = blobs.addJson({
    "schemaVersion": 2,
    "mediaType": MEDIA.manifest,
    "config": descriptor(MEDIA.config, config),
    "layers": packed.map((layer) => descriptor(MEDIA.layer, layer)),
    "annotations": annotations,
  });
  return {
    ...descriptor(MEDIA.manifest, manifest),
    "platform": { "architecture": architecture, "os": "linux" },
  };
}

function annotationsOf({ stamp }: PackageSource) {
  return {
    "org.opencontainers.image.title": PRODUCT.name,
    "org.opencontainers.image.description": PRODUCT.summary,
    "org.opencontainers.image.licenses": PRODUCT.license,
    "org.opencontainers.image.source": PRODUCT.homepage,
    "org.opencontainers.image.revision": stamp.commit,
    "org.opencontainers.image.version": stamp.version,
    "org.opencontainers.image.created": stamp.date,
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function descriptor(mediaType: string, { digest, bytes }: Blob) {
  return { "mediaType": mediaType, "digest": digest, "size": bytes.length };
}

/** The first layer. */
async function baseEntries(
  architecture: "amd64" | "arm64",
  cache: string,
): Promise<ArchiveEntry[]> {
  const [loader, loaderPath] = LOADERS[architecture];
  const files: ArchiveEntry[] = [];
  const certificates: [path: string, bytes: Uint8Array][] = [];
  for (const pin of debianPins(architecture)) {
    for (const [path, bytes] of await debianFiles(await fetchDebian(pin, cache))) {
      if (path === loader) files.push({ path: loaderPath, bytes, isExecutable: true });
      else if (LIBRARIES.test(path)) files.push({ path, bytes, isExecutable: false });
      else if (LICENSES.test(path)) files.push({ path, bytes, isExecutable: false });
      else if (CERTIFICATE.test(path)) certificates.push([path, bytes]);
    }
  }
  const decoder = new TextDecoder();
  const bundle = certificates.sort(([a], [b]) => a < b ? -1 : 1)
    .map(([, bytes]) => `${decoder.decode(bytes).trimEnd()}\n`).join("");
  files.push(
    textEntry("etc/ssl/certs/ca-certificates.crt", bundle),
    textEntry(
      "etc/passwd",
      `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/home/nonroot:/sbin/nologin\n`,
    ),
    textEntry("etc/group", `root:x:0:\nnonroot:x:${USER}:\n`),
    textEntry("etc/nsswitch.conf", "hosts: files dns\n"),
  );
  return [
    ...foldersOf(files),
    folderEntry("tmp", { mode: 0o1777 }),
    folderEntry("home"),
    folderEntry("home/nonroot", { owner: USER, mode: 0o700 }),
    folderEntry("work", { owner: USER }),
    ...files,
  ].sort((a, b) => a.path < b.path ? -1 : 1);
}
