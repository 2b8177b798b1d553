/** Up to here labels are moved into place one by one. */
const FEW_LABELS = 16;

/** Sorts label names in the order of UTF-16 code units, and the values along with them. */
export function sortLabels(names: string[], values: string[]): void {
  if (names.length > FEW_LABELS) {
    const pairs = names.map((name, index): [string, string] => [name, values[index] as string]);
    pairs.sort(([a], [b]) => a < b ? -1 : 1);
    for (const [index, [name, value]] of pairs.entries()) {
      names[index] = name;
      values[index] = value;
    }
    return;
  }
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string;
    const value = values[index] as string;
    let place = index;
    while (place > 0 && (names[place - 1] as string) > name) {
      names[place] = names[place - 1] as string;
      values[place] = values[place - 1] as string;
      place--;
    }
    names[place] = name;
    values[place] = value;
  }
}
