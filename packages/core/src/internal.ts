// For other packages of this project alone: it may change with any release.
export { createJobClient, type PromptJob, type JobClient } from "./client/job-client.ts";
