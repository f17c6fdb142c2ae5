// For other packages of this project alone: it may change with any release.
export { createTurnClient, type PromptedTurn, type TurnClient } from "./client/job-client.ts";
