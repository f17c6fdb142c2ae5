import { useState } from "preact/hooks";
import { Icon } from "../ui/icon.tsx";

interface RetryButtonProps {
  /** The tools that asked before they ran, and ran: that isn't undone. */
  readonly ran: readonly string[];
  readonly onRetry: () => void;
}

/** Makes a reply anew. Where something has left the house, the first click says so, and the second does it. */
export function RetryButton({ ran, onRetry }: RetryButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet square"
        aria-label="Make the reply anew"
        aria-expanded={ran.length > 0 ? asking : undefined}
        title="Make it anew"
        onClick={() => (ran.length > 0 ? setAsking(!asking) : onRetry())}
      >
        <Icon name="retry" />
      </button>
      {asking && (
        <span class="retry-question" role="status">
          {ran.join(", ")} has run: that isn’t undone.
          <button type="button" onClick={onRetry}>
            Make it anew all the same
          </button>
        </span>
      )}
    </>
  );
}
