export { extractFacts } from "./extraction.ts";
export { hear, keepable } from "./heard.ts";
export { proposedIn } from "./items.ts";
export { jobOf } from "./job.ts";
export { rememberItem } from "./remember-item.ts";
