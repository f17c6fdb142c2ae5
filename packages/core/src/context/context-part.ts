/** Windows and summaries: what the engine loads for a run that has one. */
export { openCompaction } from "./compaction.ts";
export { contextIssues } from "./issues.ts";
export { summarizeByModel } from "./summarizer.ts";
export { summaryMessage } from "./summary.ts";
export { openWindow } from "./window.ts";
