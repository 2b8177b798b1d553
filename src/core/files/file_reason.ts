/** Details that operating systems append to a message: a number and the call. */
const SYSTEM_DETAILS = / \(os error \d+\)(: .*)?$/s;

/** Returns the reason why a file or folder could not be read or written, as text for the user. */
export function fileReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/os error 28\b|no space left/i.test(message)) return "No space left on the device";
  if (/os error 30\b|read-only/i.test(message)) return "The file system is read-only";
  if (error instanceof Deno.errors.NotFound) return "No such file or folder";
  if (error instanceof Deno.errors.NotADirectory) return "Not a folder";
  if (error instanceof Deno.errors.IsADirectory) return "Is a folder";
  if (error instanceof Deno.errors.PermissionDenied) return "Permission denied";
  if (error instanceof Deno.errors.AlreadyExists) return "A file of that name is there";
  return message.replace(SYSTEM_DETAILS, "");
}
