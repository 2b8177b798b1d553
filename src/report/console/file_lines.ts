/** Names of files in lines that fit the screen. */
export function fileLines(files: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = " ";
  for (const file of files) {
    if (line.length + file.length + 1 > width && line.trim() !== "") {
      lines.push(line);
      line = " ";
    }
    line += ` ${file}`;
  }
  return line.trim() === "" ? lines : [...lines, line];
}
