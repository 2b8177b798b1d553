export { inspectInput } from "../../load/dataset/formats/inspect_input.ts";
