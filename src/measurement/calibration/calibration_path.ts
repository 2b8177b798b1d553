/**
 * The file in which a calibration is looked for: in `XDG_CONFIG_HOME`, else in the home folder.
 * @param variable reads a variable of the environment
 * @returns undefined if there is no home
 */
export function calibrationPath(
  variable: (name: string) => string | undefined,
): string | undefined {
  const home = variable("HOME") || variable("USERPROFILE");
  const settings = variable("XDG_CONFIG_HOME") || (home ? `${home}/.config` : undefined);
  return settings === undefined ? undefined : `${settings}/inferometer/calibration.json`;
}
