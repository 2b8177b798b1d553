/** Endings of files whose rows can be read, the best first. */
export const ROW_FILES: readonly string[] = ["parquet", "jsonl", "ndjson", "json", "csv", "tsv"];

/** Words by which repositories name a split; those of a row mean the same. */
const SPLIT_WORDS: readonly (readonly string[])[] = [
  ["train", "training"],
  ["validation", "valid", "val", "dev"],
  ["test", "testing", "eval", "evaluation"],
];

/** Which part of a repository is wanted. */
export interface DatasetPart {
  /** Pattern of its files, with `{subset}` and `{split}`. */
  readonly files: string;
  readonly subset: string | undefined;
  readonly split: string;
}

/** The pattern of a part's files, subset and split filled in. */
export function filePattern({ files, subset = "", split }: DatasetPart): string {
  return files.replaceAll("{subset}", subset).replaceAll("{split}", split);
}

/**
 * The files of a part among those of a repository or a folder: those that its pattern says; where
 * there are none, those that are named after subset and split, by the hub's rules for names.
 * @param paths relative, with slashes
 * @param isOtherSubset whether the user named another subset than the pattern is about
 * @returns sorted; empty if there are none
 */
export function filesOfPart(
  paths: readonly string[],
  part: DatasetPart,
  isOtherSubset = false,
): string[] {
  const pattern = filePattern(part);
  const isFixed = isOtherSubset && !part.files.includes("{subset}");
  const matching = isFixed ? [] : paths.filter((path) => isMatch(path, pattern));
  // A folder may hold the files alone, without their repository's folders.
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  const loose = isFixed || matching.length > 0
    ? matching
    : paths.filter((path) => isMatch(path, name));
  return ofOneKind(loose.length > 0 ? loose : namedFiles(paths, part));
}

function isMatch(path: string, pattern: string): boolean {
  const expression = pattern.split("*")
    .map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/]*");
  return new RegExp(`^${expression}$`).test(path);
}

function namedFiles(paths: readonly string[], { subset, split }: DatasetPart): string[] {
  const rows = paths.filter((path) => ROW_FILES.includes(endingOf(path)));
  const ofSubset = subset === undefined ? rows : rows.filter((path) => hasWord(path, subset));
  const words = SPLIT_WORDS.find((words) => words.includes(split)) ?? [split];
  const ofSplit = ofSubset.filter((path) => words.some((word) => hasWord(path, word)));
  if (ofSplit.length > 0) return ofSplit;
  // Where files say nothing of splits, they are all of the only one.
  const saysSplit = ofSubset.some((path) => SPLIT_WORDS.flat().some((word) => hasWord(path, word)));
  return saysSplit ? [] : ofSubset;
}

/** Whether a path contains a separate word. */
function hasWord(path: string, word: string): boolean {
  const escaped = word.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^A-Za-z0-9])${escaped}([^A-Za-z]|$)`, "i").test(path);
}

/** A repository may hold the same rows in two kinds of files. */
function ofOneKind(paths: readonly string[]): string[] {
  const ending = ROW_FILES.find((ending) => paths.some((path) => endingOf(path) === ending));
  return paths.filter((path) => endingOf(path) === ending).sort();
}

/** Returns the text after the last dot, in lower case. */
export function endingOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1).toLowerCase();
}
