// The exports that model adapters and user-interface adapters need, without the engine. The package's root entry exports
// them, too.
export { maskSecrets } from "@jaf/memory/internal";
export { readToolResult, rejectedResult, rejectionOf } from "./tools/result.ts";
