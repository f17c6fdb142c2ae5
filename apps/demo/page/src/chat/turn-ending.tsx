import type { TurnView } from "@jaf/server/client";
import { conversation } from "../app-models.ts";

interface TurnEndingProps {
  readonly turn: TurnView | undefined;
  /** The last thing that was said has no reply. */
  readonly isUnanswered: boolean;
}

/** Where a turn ended without a reply: why, and what can be done. */
export function TurnEnding({ turn, isUnanswered }: TurnEndingProps) {
  const failed = turn?.status === "error";
  if (!failed && !isUnanswered) return null;
  return (
    <div class="ending" role={failed ? "alert" : undefined}>
      <p>{failed ? (turn.error?.message ?? "The reply failed.") : "There is no reply to this yet."}</p>
      <button type="button" onClick={() => void conversation.regenerate()}>
        Try again
      </button>
    </div>
  );
}
