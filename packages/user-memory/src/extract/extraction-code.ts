export { extractFacts } from "./extraction.ts";
export { proposedIn } from "./items-to-remember.ts";
export { jobOf } from "./job.ts";
export { rememberItem } from "./remember-item.ts";
export { queueable, readUserInput } from "./user-input.ts";
