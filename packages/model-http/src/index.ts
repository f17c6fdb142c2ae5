export { type CallIds, callIds } from "./call-ids.ts";
export {
  errorIn,
  ModelHttpError,
  type ModelHttpErrorDetails,
  type ModelHttpErrorReason,
  type ServiceErrors,
  serviceErrors,
} from "./error.ts";
export { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";
export { base64Of, isMedia, isTextMedia, mediaMention, textIn } from "./media.ts";
export { readableReasoning } from "./reasoning.ts";
export { objectSchema, outputSchemaOf, parametersOf } from "./schema.ts";
export { isUnstreamed, type ModelService, post, streamed, wholeText } from "./service.ts";
export { TEXT_INPUT, takesText, textInputIn } from "./text-input.ts";
export { type ToolNames, toolNames } from "./tool-names.ts";
