import { bounds, closedObject, flag, type JsonSchema, text, textOrNull } from "./json_schema.ts";

/** The key `server_reconciliation`. */
export const RECONCILIATION: JsonSchema = {
  "description": "Metrics of the client compared with those that the server reports",
  "type": "array",
  "items": closedObject({
    "quantity": text("What is compared"),
    "unit": text("Unit of both values"),
    "client": { "description": "Value of the client", "type": "number" },
    "server": { "description": "Value of the server", "type": "number" },
    "client_source": text(
      "Source of the client value: measured, counted, or reported in replies",
    ),
    "server_source": text("Source of the server value: its metrics, or usage in replies"),
    "server_is_estimated": flag("Whether the server value is estimated from a histogram"),
    "server_bounds": bounds("Bounds of the estimated server value"),
    "doubt": textOrNull("Reason why the difference is unexplained; null if it is explained"),
  }, ["server_bounds"]),
};
