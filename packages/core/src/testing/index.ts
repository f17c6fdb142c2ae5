export { type CountedProvider, countCalls } from "./count-calls.ts";
export type { ScriptedCall, ScriptedReply } from "./scripted-model.ts";
export {
  createScriptedModel,
  ScriptError,
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
} from "./scripted-model.ts";
