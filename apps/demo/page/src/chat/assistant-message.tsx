import type { Piece } from "@jaf/server/client";
import { useState } from "preact/hooks";
import { Icon } from "../ui/icon.tsx";
import { Markdown } from "../ui/markdown.ts";
import { contentOf, contentOfPieces } from "./content.ts";
import type { Entry } from "./entries.ts";
import type { Source } from "./sources.ts";

interface AssistantMessageProps {
  readonly entry: Extract<Entry, { readonly type: "message" }>;
  readonly onShowContext: (position: number) => void;
  /** `undefined` if the reply can't be regenerated. */
  readonly onRetry: (() => void) | undefined;
  /** The tools with an approval that ran for this reply. */
  readonly ran: readonly string[];
}

export function AssistantMessage({ entry, onShowContext, onRetry, ran }: AssistantMessageProps) {
  const { position, message, stopped } = entry;
  const { text, markedText, reasoning, sources, images } = contentOf(message);
  const callsOnly = text.trim() === "" && images.length === 0;
  if (callsOnly && reasoning === "") return null;
  return (
    <article class="message assistant" aria-label="Assistant">
      {reasoning !== "" && (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <Markdown text={reasoning} />
        </details>
      )}
      <Markdown text={markedText} />
      <SourceList sources={sources} />
      {images.map(({ source, name }) => (
        <img key={source} src={source} alt={name} />
      ))}
      {stopped === true && <p class="marker">Stopped</p>}
      {!callsOnly && (
        <div class="message-actions">
          <button
            type="button"
            class="quiet square"
            aria-label="Copy the reply"
            title="Copy"
            onClick={() => void navigator.clipboard?.writeText(text)}
          >
            <Icon name="copy" />
          </button>
          {onRetry !== undefined && <RetryButton ran={ran} onRetry={onRetry} />}
          {position !== undefined && (
            <button type="button" class="quiet" onClick={() => onShowContext(position)}>
              <Icon name="eye" /> What the model saw
            </button>
          )}
        </div>
      )}
    </article>
  );
}

interface StreamingMessageProps {
  readonly pieces: readonly Piece[];
  readonly running: boolean;
}

/** A reply that is being streamed. Screen readers announce its text as it arrives. */
export function StreamingMessage({ pieces, running }: StreamingMessageProps) {
  const { text, markedText, reasoning, sources } = contentOfPieces(pieces);
  return (
    <article class={`message assistant${running ? " is-streaming" : ""}`} aria-label="Assistant">
      {reasoning !== "" && (
        <details class="reasoning" open={text === ""}>
          <summary>Reasoning</summary>
          <Markdown text={reasoning} />
        </details>
      )}
      <div aria-live="polite" aria-atomic="false">
        <Markdown text={markedText} />
      </div>
      <SourceList sources={sources} />
    </article>
  );
}

/** The sources of a reply. Only those on the web are links. */
function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  return (
    <ol class="sources" aria-label="Sources">
      {sources.map(({ number, title, href, place }) => (
        <li key={number} value={number}>
          {/* A title must not change the direction of the host behind it. */}
          <bdi>
            {href === undefined ? (
              title
            ) : (
              <a href={href} target="_blank" rel="noopener noreferrer">
                {title}
              </a>
            )}
          </bdi>
          {place !== undefined && <span> {place}</span>}
        </li>
      ))}
    </ol>
  );
}

interface RetryButtonProps {
  /** The tools with an approval that ran. Their effects can't be undone. */
  readonly ran: readonly string[];
  readonly onRetry: () => void;
}

/** Regenerates a reply. If tools with an approval ran, the first click warns, and the second one regenerates. */
function RetryButton({ ran, onRetry }: RetryButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet square"
        aria-label="Regenerate the reply"
        aria-expanded={ran.length > 0 ? asking : undefined}
        title="Regenerate"
        onClick={() => (ran.length > 0 ? setAsking(!asking) : onRetry())}
      >
        <Icon name="retry" />
      </button>
      {asking && (
        <span class="retry-question" role="status">
          {ran.join(", ")} has run. Its effects can’t be undone.
          <button type="button" onClick={onRetry}>
            Regenerate anyway
          </button>
        </span>
      )}
    </>
  );
}
