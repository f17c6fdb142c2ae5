/** Stored turns, continuations and decisions: what the engine loads for a run that has one. */
export { beginStored } from "./begin-stored.ts";
export { resume } from "./resume.ts";
export { endedElsewhere } from "./stored-ending.ts";
export * from "./stored-scope.ts";
export { findUnfinished } from "./unfinished.ts";
