/**
 * The section of a changelog that tells of a version, without its heading.
 * @param version such as `1.2.0`
 * @returns undefined if there is no such section
 */
export function changelogNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((section) => versionOf(section) === version);
  return section?.slice(section.indexOf("\n") + 1).trim();
}

/** The newest version of a changelog; undefined if it has none yet. */
export function newestVersion(changelog: string): string | undefined {
  return changelog.split(/^## /m).slice(1).map(versionOf).find((version) => version !== undefined);
}

/** The version in a heading such as `[1.2.0] - 2026-11-21`. */
function versionOf(section: string): string | undefined {
  return /^\[?v?(\d+\.\d+\.\d+[^\s\]]*)\]?/.exec(section)?.[1];
}
