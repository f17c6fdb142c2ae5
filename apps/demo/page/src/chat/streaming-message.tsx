import type { Piece } from "@jaf/server/client";
import { Markdown } from "../markdown/markdown-view.tsx";

interface StreamingMessageProps {
  readonly pieces: readonly Piece[];
  readonly running: boolean;
}

/** A reply on its way. What it says is announced as it comes, at the pace of the listener. */
export function StreamingMessage({ pieces, running }: StreamingMessageProps) {
  const textOf = (type: "text" | "reasoning") =>
    pieces.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join("\n\n");
  const [text, reasoning] = [textOf("text"), textOf("reasoning")];
  return (
    <article class={`message assistant${running ? " is-streaming" : ""}`} aria-label="Assistant">
      {reasoning !== "" && (
        <details class="reasoning" open={text === ""}>
          <summary>Reasoning</summary>
          <Markdown text={reasoning} />
        </details>
      )}
      <div aria-live="polite" aria-atomic="false">
        <Markdown text={text} />
      </div>
    </article>
  );
}
