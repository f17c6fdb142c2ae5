import type { UserMemoryStore } from "@jaf/user-memory";
import type { AssistantContext } from "../assistant/agent.ts";

/** What the tools of the page's assistant work with, beside those of the terminal's. */
export interface PageContext extends AssistantContext {
  readonly userMemory: UserMemoryStore;
}
