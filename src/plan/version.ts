import denoConfig from "../../deno.json" with { type: "json" };

/** Version of the product. */
export const VERSION: string = denoConfig.version;

/** How the product names itself to servers and in files. */
export const USER_AGENT = `inferometer/${VERSION}`;
