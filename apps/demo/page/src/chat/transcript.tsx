import { callsIn, type FoldedTurn, isRunning } from "@jaf/server/client";
import { useEffect, useRef } from "preact/hooks";
import { sentMessage } from "../../../src/assistant/sender.ts";
import { approvalTools, conversation, list, loadApprovalTools } from "../models/app-models.ts";
import type { ConversationState } from "../models/conversation-state.ts";
import { useStore } from "../models/store.ts";
import { AssistantMessage, StreamingMessage } from "./assistant-message.tsx";
import { type Entry, entriesOf, ranSince } from "./entries.ts";
import { withSeen } from "./seen-calls.ts";
import { WritingCard } from "./tool-card.tsx";
import { ToolTree } from "./tool-tree.tsx";
import { UserMessage, WaitingMessage } from "./user-message.tsx";

interface TranscriptProps {
  readonly state: ConversationState;
  /** Shows the model's context for the reply at this position. */
  readonly onShowContext: (position: number) => void;
}

const NEAR_END = 120;

export function Transcript({ state, onShowContext }: TranscriptProps) {
  const { turn, connected, earlier, messages, waiting } = state;
  const running = turn !== undefined && isRunning(turn);
  const entries = entriesOf(state);
  const end = useEndInView(`${state.conversationId} ${entries.length} ${turn?.events ?? 0}`);
  const { names } = useStore(approvalTools);
  useEffect(() => {
    if (approvalTools.get().names.size === 0) void loadApprovalTools();
  }, [state.conversationId]);
  const ran = ranSince(entries, names);
  const lastReply = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.message.role === "assistant",
  );

  return (
    <section class="transcript" aria-label="Conversation">
      {earlier && (
        <button type="button" class="quiet" onClick={() => void conversation.loadEarlier()}>
          Earlier messages
        </button>
      )}
      {entries.map((entry, index) => (
        <EntryView
          key={entry.key}
          entry={entry}
          state={state}
          onShowContext={onShowContext}
          isLastReply={index === lastReply}
          ran={ran}
        />
      ))}
      {running && turn.pieces.length === 0 && <Thinking connected={connected} retracted={turn.retracted} />}
      {!running && (
        <TurnEnding turn={turn} missing={waiting.length === 0 ? missingIn(messages) : undefined} />
      )}
      <Spoken text={running || turn === undefined ? "" : "The reply is complete."} />
      <div ref={end} />
    </section>
  );
}

interface EntryViewProps extends TranscriptProps {
  readonly entry: Entry;
  readonly isLastReply: boolean;
  /** The tools with an approval that ran for the last reply. */
  readonly ran: readonly string[];
}

function EntryView({ entry, state, onShowContext, isLastReply, ran }: EntryViewProps) {
  const { turn, waiting } = state;
  const running = turn !== undefined && isRunning(turn);
  switch (entry.type) {
    case "message": {
      const sent = sentMessage(entry.message);
      if (sent !== undefined)
        return (
          <p class="marker">
            {SENDERS[sent.from]}: {sent.text}
          </p>
        );
      return entry.message.role === "assistant" ? (
        <AssistantMessage
          entry={entry}
          onShowContext={onShowContext}
          ran={ran}
          onRetry={isLastReply && !running ? () => void conversation.regenerate() : undefined}
        />
      ) : (
        <UserMessage entry={entry} canEdit={!running && entry.position !== undefined} />
      );
    }
    case "tool": {
      const stopped = entry.stopped === true || turn?.status === "stopped";
      return (
        <ToolTree
          tool={withSeen(entry.tool, state.seen)}
          running={running}
          stopped={stopped}
          waiting={waiting}
        />
      );
    }
    case "handoff":
      return <p class="marker">Handed off to {entry.to}</p>;
    case "waiting":
      return <WaitingMessage text={entry.text} />;
    case "pieces":
      return <StreamingMessage pieces={entry.pieces} running={running && !isWritingCall(turn)} />;
    case "writing":
      return <WritingCard call={entry.call} running={running} />;
  }
}

const SENDERS = { timer: "Reminder", work: "Message from work in the background" } as const;

const isWritingCall = ({ pieces }: FoldedTurn): boolean => pieces.at(-1)?.type === "tool_arguments";

export type MissingPart = "reply" | "rest";

/** The part that is missing after the last message. */
function missingIn(messages: ConversationState["messages"]): MissingPart | undefined {
  const last = messages.at(-1)?.message;
  if (last === undefined) return undefined;
  if (last.role === "user") return "reply";
  return last.role === "tool" || callsIn(last).length > 0 ? "rest" : undefined;
}

const MISSING: Readonly<Record<MissingPart, string>> = {
  reply: "There is no reply to this yet.",
  rest: "The reply wasn't finished.",
};

interface TurnEndingProps {
  readonly turn: FoldedTurn | undefined;
  /** The part that is missing after the last message. */
  readonly missing: MissingPart | undefined;
}

/** Shown if a turn ended without a reply: the reason and the possible actions. */
function TurnEnding({ turn, missing }: TurnEndingProps) {
  const failed = turn?.status === "error";
  if (!failed && missing === undefined) return null;
  const isOverBudget = failed && turn.error?.code === "BudgetExceeded";
  const text = failed ? (turn.error?.message ?? "The reply failed.") : missing && MISSING[missing];
  return (
    <div class="ending" role={failed ? "alert" : undefined}>
      <p>{text}</p>
      {isOverBudget && <a href="#/ledger">Use and cost</a>}
      <button type="button" onClick={() => void conversation.regenerate()}>
        Try again
      </button>
    </div>
  );
}

const RETRACTED = {
  retry: "The attempt failed. Trying again…",
  fallback: "Trying another model…",
  guardrail: "A guardrail blocked that reply…",
  "handed-over": "The server stops. Another one continues the reply…",
  "taken-over": "The server stopped. Another one continues the reply…",
} as const;

interface ThinkingProps {
  readonly connected: boolean;
  readonly retracted: keyof typeof RETRACTED | undefined;
}

const Thinking = ({ connected, retracted }: ThinkingProps) => {
  const { reachable } = useStore(list.state);
  return (
    <p class="thinking" role="status">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {!connected ? (
        reachable ? (
          "Reconnecting. The reply continues on the server…"
        ) : (
          "The server can't be reached. The reply continues when it is back…"
        )
      ) : retracted === undefined ? (
        <span class="hidden">Thinking…</span>
      ) : (
        RETRACTED[retracted]
      )}
    </p>
  );
};

const Spoken = ({ text }: { readonly text: string }) => (
  <p class="hidden" role="status">
    {text}
  </p>
);

/** Scrolls with the end while it is in view. A user who scrolled up stays there. */
function useEndInView(changes: string) {
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const scroll = document.getElementById("scroll");
    const update = () => {
      if (scroll !== null)
        follows.current = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END;
    };
    scroll?.addEventListener("scroll", update, { passive: true });
    return () => scroll?.removeEventListener("scroll", update);
  }, []);
  useEffect(() => {
    if (follows.current) end.current?.scrollIntoView({ block: "end" });
  }, [changes]);
  return end;
}
