export { inspectInput } from "../dataset/formats/inspect_input.ts";
