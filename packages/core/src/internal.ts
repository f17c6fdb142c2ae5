// For other packages of this project alone: it may change with any release.
export { createJobClient, type JobClient, type PromptJob } from "./client/job-client.ts";
