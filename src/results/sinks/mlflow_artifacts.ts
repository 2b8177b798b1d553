import { printableText } from "../../report/console/printable_text.ts";

/** Artifacts that only a client with access to their store can write. */
export class ArtifactPlaceError extends Error {
  override readonly name = "ArtifactPlaceError";
}

/**
 * The path under which the tracking server takes a run's artifacts:
 * `/api/2.0/mlflow-artifacts/artifacts/<experiment>/<run>/artifacts`.
 * @param artifactUri as the server gives it for the run
 * @throws {ArtifactPlaceError} if they lie somewhere that is not the server's own to write
 */
export function artifactPath(artifactUri: string): string {
  const [, path] = /^mlflow-artifacts:(?:\/\/[^/]*)?(\/.*)$/.exec(artifactUri) ?? [];
  if (path === undefined) {
    throw new ArtifactPlaceError(
      `its artifacts lie at ${printableText(artifactUri, 100)}, which it does not write itself: ` +
        "start it with --serve-artifacts",
    );
  }
  return `/api/2.0/mlflow-artifacts/artifacts${encodePath(path)}`;
}

/** A path whose parts may have any character in them. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
