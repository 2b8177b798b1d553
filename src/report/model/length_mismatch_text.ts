/** Why runs with replies of other lengths than recorded are not comparable, as a clause. */
export function lengthMismatchText(
  { checked, mismatched }: { readonly checked: number; readonly mismatched: number },
): string {
  return `${mismatched} of ${checked} replies are not as long as recorded`;
}
