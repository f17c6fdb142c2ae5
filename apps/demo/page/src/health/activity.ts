import type { ConversationSummary, JafClient } from "@jaf/server/client";
import { seenTurn } from "../models/turn-record.ts";

export interface TurnActivity {
  readonly startedAt: string;
  readonly seconds: number;
  readonly sent: number | null;
  readonly facts: number;
  readonly tokens: number | null;
  readonly cached: number | null;
}

const CONVERSATIONS = 12;
const TURNS_EACH = 25;

/** What the turns of the latest conversations left, the oldest first. */
export async function collectActivity(
  server: JafClient,
  conversations: readonly ConversationSummary[],
): Promise<readonly TurnActivity[]> {
  const lists = await Promise.all(
    conversations
      .slice(0, CONVERSATIONS)
      .map(({ conversationId }) => server.conversations.turns(conversationId, { limit: TURNS_EACH })),
  );
  return lists
    .flatMap(({ turns: some }) => some.filter(({ record }) => record !== undefined).map(seenTurn))
    .map(({ startedAt, calls, facts }) => ({
      startedAt,
      seconds: calls.reduce((sum, { durationMs = 0 }) => sum + durationMs / 1_000, 0),
      sent: calls.at(-1)?.manifest?.sent ?? null,
      facts: facts.length,
      tokens: sumOf(calls.map(({ usage }) => total(usage?.inputTokens, usage?.outputTokens))),
      cached: sumOf(calls.map(({ usage }) => usage?.cachedInputTokens)),
    }))
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

const total = (input: number | undefined, output: number | undefined): number | undefined =>
  input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);

function sumOf(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
