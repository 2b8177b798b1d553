/** A file that could not be written. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`Cannot write ${path}: ${reasonOf(cause)}`, { cause });
    this.path = path;
  }
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/os error 28|no space left/i.test(message)) return "No space left on the device";
  if (/os error 30|read-only/i.test(message)) return "The file system is read-only";
  if (cause instanceof Deno.errors.PermissionDenied) return "Permission denied";
  return message;
}
