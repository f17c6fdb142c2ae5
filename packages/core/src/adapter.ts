// What adapters of models and of user interfaces need, without the engine. The root has all of it, too.
export { maskSecrets } from "@jaf/memory/internal";
export { readToolResult, rejectedResult, rejectionOf } from "./tools/result.ts";
