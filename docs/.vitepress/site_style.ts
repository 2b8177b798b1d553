/** The style of the site: the colours of the report's pages. */

/** The site's colours by the names of the report's colours. */
const COLOURS: Readonly<Record<string, string>> = {
  "--vp-c-bg": "bg",
  "--vp-c-bg-alt": "sunk",
  "--vp-c-bg-soft": "sunk",
  "--vp-c-bg-elv": "panel",
  "--vp-sidebar-bg-color": "sunk",
  "--vp-local-search-bg": "bg",
  "--vp-c-text-1": "text",
  "--vp-c-text-2": "second",
  "--vp-c-text-3": "soft",
  "--vp-c-divider": "line",
  "--vp-c-gutter": "line",
  "--vp-c-brand-1": "client",
  "--vp-c-brand-2": "client",
  "--vp-c-brand-3": "client",
  "--vp-c-warning-1": "warn",
};

/** Commands are wrapped, so that all of a long one is visible; output keeps its columns. */
const LAYOUT = `
.vp-doc div[class~="language-sh"] pre code, .vp-doc div[class~="language-bash"] pre code {
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.vp-doc div[class~="language-text"] pre code { font-size: 11.5px; line-height: 1.45; }
.vp-doc div[class~="language-text"] pre code, .vp-doc div[class~="language-text"] pre {
  padding-left: 8px; padding-right: 8px;
}
@media (min-width: 1440px) {
  .VPDoc.has-aside .content-container.content-container { max-width: 880px; }
}`;

/**
 * Returns the style sheet of the site.
 * @param tokens `src/report/html/browser/tokens.css`, which has the colours of both themes
 * @throws {TypeError} if it lacks a theme or a colour
 */
export function siteStyle(tokens: string): string {
  const light = /^:root \{([^}]*)\}/m.exec(tokens)?.[1];
  const dark = /\[data-theme="dark"\] \{([^}]*)\}/.exec(tokens)?.[1];
  if (light === undefined || dark === undefined) throw new TypeError("tokens.css lacks a theme");
  return `html:root {\n${coloursOf(light)}\n}\nhtml.dark:root {\n${coloursOf(dark)}\n}${LAYOUT}`;
}

function coloursOf(theme: string): string {
  return Object.entries(COLOURS).map(([own, name]) => {
    const colour = new RegExp(`--${name}: ([^;]+);`).exec(theme)?.[1];
    if (colour === undefined) throw new TypeError(`tokens.css has no --${name}`);
    return `  ${own}: ${colour};`;
  }).join("\n");
}
