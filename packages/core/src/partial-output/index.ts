// Outputs that a model is writing. For pages, too: no zod, no Node, nothing of the engine.

export {
  createPartialOutput,
  type DeepPartial,
  type PartialOutput,
  type PartialOutputs,
  partialOutput,
} from "./partial-output.ts";
