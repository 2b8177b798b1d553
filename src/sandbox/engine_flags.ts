/**
 * Flags of the JavaScript engine. Several threads that allocate little: by default the room for
 * new objects alone would cost 16 MB for each. `gc` lets those that handle large pages clean up.
 */
export const ENGINE_FLAGS = "--v8-flags=--max-semi-space-size=4,--expose-gc";
