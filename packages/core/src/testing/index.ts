export { type CountedProvider, countCalls } from "./count-calls.ts";
export {
  createScriptedModel,
  ScriptError,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedStep,
} from "./scripted-model.ts";
