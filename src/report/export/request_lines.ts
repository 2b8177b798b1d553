/**
 * Key of a summary below `inferometer`: the number of lines that were written with it. Some tools keep
 * no line for each request, or lines for some requests only.
 */
export const REQUEST_LINES = "request_lines";
