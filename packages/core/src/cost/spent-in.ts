import type { ConversationMemory } from "@jaf/memory";
import { readMetadata } from "../memory/metadata.ts";
import type { Spent } from "./spending.ts";

/**
 * What the runs of a stored conversation have used. A run that failed before it stored anything isn't counted. `undefined`: no
 * run has reported its usage.
 */
export const spentIn = (conversation: Pick<ConversationMemory, "metadata">): Spent | undefined =>
  readMetadata(conversation).spent;
