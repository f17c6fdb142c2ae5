export { type CountedProvider, countCalls } from "./count-calls.ts";
export type { ScriptedCall, ScriptedReply } from "./scripted-model.ts";
export {
  createScriptedModel,
  type ScriptedFunction,
  ScriptError,
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
} from "./scripted-model.ts";
