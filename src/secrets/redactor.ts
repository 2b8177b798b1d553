/** What stands in the place of a secret. */
export const REDACTED = "<redacted>";

/** Takes secrets out of texts that end up in a file or on the terminal. */
export interface Redactor {
  (text: string): string;
}

/** Shorter texts are no secrets worth hiding, and would tear holes into unrelated words. */
const MIN_SECRET_LENGTH = 4;

/**
 * A redactor for these secrets: wherever one stands, in any text of a server or a runtime error,
 * it is replaced. Secrets are also found in the forms in which URLs and JSON write them.
 */
export function redactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    forms.add(secret);
    forms.add(encodeURIComponent(secret));
    forms.add(JSON.stringify(secret).slice(1, -1));
  }
  if (forms.size === 0) return (text) => text;
  // The longest first: a secret may be part of another.
  const alternatives = [...forms].sort((a, b) => b.length - a.length).map((form) =>
    form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  );
  const pattern = new RegExp(alternatives.join("|"), "g");
  return (text) => text.replace(pattern, REDACTED);
}

/**
 * Shorter secrets are not looked for in metrics pages: a key such as `token`, which stands in for
 * none where a server does not ask, is a word that metrics are called by.
 */
const MIN_PAGE_SECRET_LENGTH = 8;

/** A redactor for what a metrics page says. */
export function pageRedactor(secrets: readonly string[]): Redactor {
  return redactor(secrets.filter(({ length }) => length >= MIN_PAGE_SECRET_LENGTH));
}
