export { CONVENTIONS_COMMIT } from "./conventions.ts";
export { createTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
