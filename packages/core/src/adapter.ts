// The exports that adapters of models and user interfaces need, without the engine. The root entry has them, too.
export { maskSecrets } from "@jaf/memory/internal";
export { readToolResult, rejectedResult, rejectionOf } from "./tools/result.ts";
