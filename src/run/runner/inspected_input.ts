export { inspectSessions as inspectInput } from "../../load/sessions/inspect_sessions.ts";
