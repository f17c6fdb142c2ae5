// Only for other packages of this project. These exports can change with any release.
export { nestedCallId } from "./approvals/nested-ids.ts";
export { createJobClient, type JobClient, type PromptJob } from "./client/job-client.ts";
export type { KnownState } from "./stored/append.ts";
export { newerFormatError } from "./stored/formats.ts";
export { parseEntry, toEntryContent } from "./stored/inbox-entry.ts";
export { takenPositions } from "./stored/inbox-record.ts";
export { toResult } from "./stored/provider-result.ts";
export { type Masking, maskingOf, thrownOf } from "./thrown.ts";
export { toolPartsIn } from "./tool-calls/answer.ts";
export { getUserMemory } from "./user-memory.ts";
