export { type CallIds, callIds } from "./call-ids.ts";
export { base64Of, isMedia, isTextMedia, mediaMention, readableReasoning, textIn } from "./content-parts.ts";
export {
  errorIn,
  ModelHttpError,
  type ModelHttpErrorDetails,
  type ModelHttpErrorReason,
  type ServiceErrors,
  serviceErrors,
} from "./error.ts";
export { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";
export {
  objectSchema,
  outputSchemaOf,
  parametersOf,
  TEXT_INPUT,
  takesText,
  textInputIn,
} from "./schema.ts";
export { isUnstreamed, type ModelService, post, streamed, wholeText } from "./service.ts";
export { type ToolNames, toolNames } from "./tool-names.ts";
