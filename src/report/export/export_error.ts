import { fileReason } from "../../core/files/file_reason.ts";

/** A file that could not be written. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`Cannot write ${path}: ${fileReason(cause)}`, { cause });
    this.path = path;
  }
}
