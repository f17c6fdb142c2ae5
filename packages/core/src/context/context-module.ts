/** Windows and summaries: what the engine loads for a run that has one. */

export { summaryMessage } from "../memory/summary.ts";
export { openWindow } from "../window/run-window.ts";
export { openCompaction } from "./compaction.ts";
export { contextIssues } from "./issues.ts";
export { summarizeByModel } from "./model-summarizer.ts";
