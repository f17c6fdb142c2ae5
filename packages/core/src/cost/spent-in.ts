import type { ConversationMemory } from "@jaf/memory";
import { readMetadata } from "../memory/metadata.ts";
import type { Spent } from "./spending.ts";

/**
 * What the runs of a stored conversation have used, as far as they have stored something since; `undefined` where none has told.
 * A run that failed before it stored anything isn't counted.
 */
export const spentIn = (conversation: Pick<ConversationMemory, "metadata">): Spent | undefined =>
  readMetadata(conversation).spent;
