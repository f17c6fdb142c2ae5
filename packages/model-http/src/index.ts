export { type Approval, approvalIn, isProviderExecuted, withoutForeignApprovals } from "./approvals.ts";
export { sha256Hex } from "./digest.ts";
export {
  errorIn,
  ModelHttpError,
  type ModelHttpErrorDetails,
  type ModelHttpErrorReason,
  type ServiceErrors,
  serviceErrors,
} from "./errors.ts";
export { type Fields, fieldsOf, isObject, listOf, parseJson, picked, textField } from "./fields.ts";
export { base64Of, imageUrlOf, isMedia, isTextMedia, mediaMention, textIn } from "./media.ts";
export {
  contentOf,
  type ForeignReasoning,
  inputObject,
  isInstruction,
  isSameOrigin,
  otherModelText,
  ownCallIds,
  splitInstructions,
} from "./messages.ts";
export {
  createModelService,
  environmentURL,
  type ModelServiceOptions,
  modelName,
  optionsFor,
  parseServiceOptions,
  serviceOptions,
} from "./options.ts";
export { doneChunk, knownCounts, responseJson, tokenCount } from "./reply.ts";
export {
  functionParameters,
  objectSchema,
  outputInstructions,
  outputSchemaOf,
  parametersOf,
  takesText,
  textInputIn,
} from "./schema.ts";
export { isUnstreamed, type ModelService, post, streamed, wholeText } from "./service.ts";
export { serviceSchema } from "./service-schema.ts";
export { type Citation, collectSources, isSource, type Sources } from "./sources.ts";
export { type ToolOutcome, toolOutcome } from "./tool-outcome.ts";
export { type CallIds, callIds, type ToolNames, toolNames } from "./tools.ts";
