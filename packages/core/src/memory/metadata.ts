import type { ConversationMemory, RunId } from "@jaf/memory";

/** The one metadata key that is the engine's; all others are the application's. */
const KEY = "jaf";

/** What the engine notes beside the messages. Each write that has it replaces it as a whole. */
export interface EngineMetadata {
  /** The run that took the last turn. */
  readonly runId: RunId;
  /** The registry key of the agent that goes on with the conversation. */
  readonly agentName: string;
  /** Which execution's which turn the open tool calls are of; absent: no call is open. */
  readonly toolCallScope?: string;
}

export const toMetadata = (noted: EngineMetadata): Readonly<Record<string, EngineMetadata>> => ({
  [KEY]: noted,
});

/** As far as it can be trusted: metadata may have been written by anybody. */
export function readMetadata({ metadata }: ConversationMemory): {
  readonly agentName: string | undefined;
  readonly toolCallScope: string | undefined;
} {
  const noted: unknown = metadata?.[KEY];
  const field = (name: keyof EngineMetadata): string | undefined => {
    const value =
      typeof noted === "object" && noted !== null ? (noted as Record<string, unknown>)[name] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  return { agentName: field("agentName"), toolCallScope: field("toolCallScope") };
}
