/** Stored turns, continuations and decisions: what the engine loads for a run that has one. */
export { beginStored } from "./begin-stored.ts";
export { endedElsewhere } from "./earlier-ending.ts";
export { resume } from "./resume.ts";
export * from "./stored-run-scope.ts";
export { findUnfinished } from "./unfinished.ts";
