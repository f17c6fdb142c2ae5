import type { MessageMatch } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { conversationHref } from "../models/route.ts";
import { failureText, server } from "../models/server.ts";
import { briefly } from "../ui/dates.ts";

/** The state of a search in messages. */
export type MessageMatches =
  | { readonly status: "searching" }
  | { readonly status: "failed"; readonly failure: string }
  | { readonly status: "found"; readonly messages: readonly MessageMatch[] };

const TYPING_MS = 200;
const MOST_SHOWN = 20;
const LONGEST_QUERY = 1_000;
const SEARCHING: MessageMatches = { status: "searching" };

/** Searches the messages a moment after the user has typed. `query` must not be empty. */
export function useMessageMatches(query: string): MessageMatches {
  const [matches, setMatches] = useState(SEARCHING);
  useEffect(() => {
    setMatches(SEARCHING);
    const over = new AbortController();
    const timer = setTimeout(() => {
      const asked = { query: query.slice(0, LONGEST_QUERY), limit: MOST_SHOWN };
      server.conversations.search(asked, { signal: over.signal }).then(
        ({ messages }) => {
          if (!over.signal.aborted) setMatches({ status: "found", messages });
        },
        (thrown: unknown) => {
          if (!over.signal.aborted) setMatches({ status: "failed", failure: failureText(thrown) });
        },
      );
    }, TYPING_MS);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [query]);
  return matches;
}

/** A found passage with its conversation. A click opens the conversation. */
export const MatchRow = ({ match }: { readonly match: MessageMatch }) => (
  <li class="conversation match">
    <a href={conversationHref(match.conversationId)}>
      <span class="title">{match.title ?? "Untitled"}</span>
      <span class="passage">
        {match.role === "assistant" ? "Assistant: " : ""}
        {markedPieces(match).map(({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text))}
      </span>
      <span class="when">{briefly(match.lastActivity)}</span>
    </a>
  </li>
);

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** How much of a passage is shown before its first marked word, in UTF-16 units. */
const LEAD = 40;

/** Returns the passage in pieces: its marked words, and the texts between them. A long beginning is left out. */
export function markedPieces({
  passage,
  matches,
}: Pick<MessageMatch, "passage" | "matches">): readonly Piece[] {
  const first = matches[0]?.start ?? 0;
  const space = first > 2 * LEAD ? passage.indexOf(" ", first - LEAD) : -1;
  let from = space === -1 || space > first ? 0 : space + 1;
  const pieces: Piece[] = from === 0 ? [] : [{ text: "… ", isMarked: false }];
  for (const { start, end } of matches) {
    pieces.push({ text: passage.slice(from, start), isMarked: false });
    pieces.push({ text: passage.slice(start, end), isMarked: true });
    from = end;
  }
  pieces.push({ text: passage.slice(from), isMarked: false });
  return pieces.filter(({ text }) => text !== "");
}
