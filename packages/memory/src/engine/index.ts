// For engines and adapters of models: what they import at start-up. `client` and `turns` build on it; hashes are in `digest`. The
// root has most of what applications need of it, and what engines never call: retries, fallbacks, blobs, the lookup of adapters.

export { backoffDelayMs } from "../async/backoff-delay.ts";
export { callSafely } from "../async/call-safely.ts";
export { withDeadline } from "../async/deadline.ts";
export { onAbort } from "../async/on-abort.ts";
export { idIssue } from "../codec/ids.ts";
export { parseMessages } from "../codec/parse-messages.ts";
export { parseOptions } from "../codec/schema-issues.ts";
export { parseApprovalDecision } from "../continuation/approval.ts";
export {
  createMemoryConflictError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
} from "../errors.ts";
export { createRunId, createTraceId, generateRunId, generateTraceId } from "../ids.ts";
export { sameJson } from "../json/same-json.ts";
export { messageText, partText } from "../message-text.ts";
export { sanitizeConversation, sanitizeWithOrigins } from "../messages/sanitizer.ts";
export { isMediaPart, isReasoningField, isReasoningPart, isTextPart } from "../part-kinds.ts";
export { base64Of, bytesIn } from "../platform/bytes.ts";
export { processEnvironment, warn } from "../platform/process.ts";
export { restart, type Timeout, unref } from "../platform/timer.ts";
export { textIn, utf8Of } from "../platform/utf8.ts";
export { present } from "../present.ts";
export { createFailure, createSuccess, isFailure, isSuccess } from "../result.ts";
export { holdsSecret, maskSecrets } from "../secrets/index.ts";
export { stableLength } from "../stable-length.ts";
export { calledTool } from "../tool-call.ts";
