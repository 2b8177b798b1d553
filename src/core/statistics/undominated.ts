/**
 * Returns the places that no other one beats: none has at least as much of both values, and more of one of
 * them. Places with equal values do not beat each other.
 */
export function undominated<Place extends { readonly gain: number; readonly other: number }>(
  places: readonly Place[],
): Place[] {
  return places.filter((one) =>
    !places.some((rival) =>
      rival.gain >= one.gain && rival.other >= one.other &&
      (rival.gain > one.gain || rival.other > one.other)
    )
  );
}
