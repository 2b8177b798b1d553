/** Text that cannot steer a terminal, nor turn the direction of what follows it. */
export function serverText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").toWellFormed().trim();
}
