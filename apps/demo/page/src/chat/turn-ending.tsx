import type { TurnView } from "@jaf/server/client";
import { conversation } from "../models/app-models.ts";

export type MissingPart = "reply" | "rest";

const MISSING: Readonly<Record<MissingPart, string>> = {
  reply: "There is no reply to this yet.",
  rest: "The reply wasn't finished.",
};

interface TurnEndingProps {
  readonly turn: TurnView | undefined;
  /** What the last thing that was said lacks. */
  readonly missing: MissingPart | undefined;
}

/** Where a turn ended without a reply: why, and what can be done. */
export function TurnEnding({ turn, missing }: TurnEndingProps) {
  const failed = turn?.status === "error";
  if (!failed && missing === undefined) return null;
  const text = failed ? (turn.error?.message ?? "The reply failed.") : missing && MISSING[missing];
  return (
    <div class="ending" role={failed ? "alert" : undefined}>
      <p>{text}</p>
      <button type="button" onClick={() => void conversation.regenerate()}>
        Try again
      </button>
    </div>
  );
}
